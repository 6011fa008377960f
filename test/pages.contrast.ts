/**
 * Contrast is two thirds of what axe costs, and most text of a page looks like text that was judged on a page before.
 * Here axe passes over text whose colours, size and all that is painted behind it were found good before, in any theme
 * and at any width. Text that lies over something other than what it stands in is judged by axe each time.
 */

/** What axe has found good, as the browser describes it. */
const good = new Set<string>()

/** What an element's background does to text within: empty for most. In the order of `PLAIN`. */
const PAINT = ['backgroundColor', 'backgroundImage', 'opacity', 'filter', 'mixBlendMode', 'zIndex']
const PLAIN = ['rgba(0, 0, 0, 0)', 'none', '1', 'none', 'normal', 'auto']
const INK = [
  'color',
  'fontSize',
  'fontWeight',
  'textShadow',
  'webkitTextFillColor',
  'webkitTextStrokeWidth',
  'webkitTextStrokeColor',
]

/** Comes with axe, after it: `contrast.begin(known)` before a run, and afterwards `contrast.found` are those to add. */
export const CONTRAST = `{
  const [PAINT, PLAIN, INK] = ${JSON.stringify([PAINT, PLAIN, INK])}
  const rule = axe._audit.rules.find(({ id }) => id === 'color-contrast')
  const check = axe._audit.checks['color-contrast']
  const { matches } = rule
  const { evaluate } = check
  let known, paints, painters, looks
  const contrast = {
    found: [],
    begin(good) {
      known = new Set(good)
      paints = new Map()
      looks = new Map()
      painters = null
      contrast.found = []
    },
  }
  window.contrast = contrast

  /** What it paints behind its text, after all that it stands in. */
  function behind(element) {
    if (element === null) return ''
    let all = paints.get(element)
    if (all === undefined) {
      const style = getComputedStyle(element)
      let own = ''
      for (let n = 0; n < PAINT.length; n++) {
        const value = style[PAINT[n]]
        if (value !== PLAIN[n]) own += PAINT[n] + ':' + value + ';'
      }
      all = behind(element.parentElement) + (own === '' ? '' : '/' + own)
      paints.set(element, all)
    }
    return all
  }

  function paintersOf() {
    const found = []
    for (const element of document.querySelectorAll('body *')) {
      const isPicture = element.localName === 'img' || element.localName === 'svg'
      if (isPicture || behind(element) !== behind(element.parentElement)) {
        const { left, top, right, bottom } = element.getBoundingClientRect()
        if (right > left && bottom > top) found.push({ element, left, top, right, bottom })
      }
    }
    return found
  }

  const isField = ({ localName }) => localName === 'input' || localName === 'select' || localName === 'textarea'

  function hasText(element) {
    for (let child = element.firstChild; child !== null; child = child.nextSibling)
      if (child.nodeType === 3 && child.data.trim() !== '') return true
    return false
  }

  function extentOf(element) {
    if (isField(element)) return element.getBoundingClientRect()
    const range = document.createRange()
    range.selectNodeContents(element)
    return range.getBoundingClientRect()
  }

  /** Whether its text lies on what it stands in and on nothing else. */
  function isPlain(element) {
    painters ??= paintersOf()
    const { left, top, right, bottom } = extentOf(element)
    for (const one of painters) {
      const apart = one.right <= left || one.left >= right || one.bottom <= top || one.top >= bottom
      if (one.element.contains(element)) {
        if (left < one.left - 1 || top < one.top - 1 || right > one.right + 1 || bottom > one.bottom + 1) return false
      } else if (!apart && !element.contains(one.element)) return false
    }
    return true
  }

  function lookOf(element) {
    const style = getComputedStyle(element)
    let look = behind(element)
    for (const name of INK) look += '|' + style[name]
    return look
  }

  rule.matches = function (element, ...more) {
    // As axe does it, before it looks at all that stands within.
    if (!isField(element) && !hasText(element)) return false
    const look = lookOf(element)
    if (isPlain(element)) {
      if (known.has(look)) return false
      looks.set(element, look)
    }
    return matches.call(this, element, ...more)
  }

  check.evaluate = function (element, ...more) {
    const isGood = evaluate.call(this, element, ...more)
    const look = looks.get(element)
    if (isGood === true && look !== undefined && axe.commons.dom.isVisibleOnScreen(element)) {
      known.add(look)
      contrast.found.push(look)
    }
    return isGood
  }
}`

export const knownContrast = () => JSON.stringify([...good])

export function noteContrast(found: string[]): void {
  for (const look of found) good.add(look)
}
