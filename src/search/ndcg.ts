/** How near an order is to the best one: linear gain, logarithmic discount. What is not judged counts as irrelevant. */
export function ndcg(ranked: readonly string[], grades: ReadonlyMap<string, number>, depth: number): number {
  const gain = (grade: number, rank: number) => grade / Math.log2(rank + 2)
  const got = ranked.slice(0, depth).reduce((sum, id, rank) => sum + gain(grades.get(id) ?? 0, rank), 0)
  const best = [...grades.values()]
    .sort((a, b) => b - a)
    .slice(0, depth)
    .reduce((sum, grade, rank) => sum + gain(grade, rank), 0)
  return best === 0 ? 0 : got / best
}
