/** All pictures on one page, a row for each page of the tour, small and linked to their full size. */

/** `files` as they are named: `<page>.<theme>.<width>.png`. Others are left out. */
export function writeSheet(files: string[]): string {
  const pictures = files.filter((file) => /^[\w-]+\.(light|dark)\.\d+\.png$/.test(file)).sort()
  const rows = [...Map.groupBy(pictures, (file) => file.split('.')[0] ?? '')].map(
    ([name, own]) =>
      `<section id="${name}"><h2>${name}</h2><div>${own.map(picture).join('')}</div></section>`,
  )
  const names = rows.length
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Screenshots</title>
<style>
  body { margin: 2rem; font: 1rem/1.5 system-ui, sans-serif; color-scheme: light dark }
  div { display: flex; gap: 1rem; align-items: start; overflow-x: auto }
  figure { margin: 0; flex: none }
  img { display: block; height: 24rem; width: auto; max-width: 40rem; object-fit: cover; object-position: top; border: 1px solid gray }
</style>
<h1>${names} pages</h1>
${rows.join('\n')}
</html>
`
}

function picture(file: string): string {
  const [, theme, width] = file.split('.')
  const words = `${theme}, ${width} px`
  return `<figure><a href="${file}"><img src="${file}" alt="${words}" loading="lazy"></a><figcaption>${words}</figcaption></figure>`
}
