/**
 * An organization's domain as an operator is shown it. Anybody can name any domain as theirs, so it never stands in a list
 * without the word whether that was proved.
 */
export function provedDomain(domain: string | null, verified: boolean): string {
  return domain === null ? '-' : `${domain} (${verified ? 'proved' : 'not proved'})`
}
