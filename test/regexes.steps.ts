/**
 * Matches as a backtracking engine does and counts what it looks at, so that the cost of a regular expression is a
 * number and not a time. It gives up at `most`, which is where an expression that explodes ends.
 */
import type { Node, Tree } from './regexes.parse.ts'

type Then = (at: number) => number

export function stepsOf(tree: Tree, flags: string, text: string, most: number): number {
  const input = tree.unicode ? [...text] : text.split('')
  const captured = new Map<string, string>()
  const word = /\w/
  const breaks = /[\n\r\u2028\u2029]/
  let steps = 0
  const count = () => {
    steps += 1
    if (steps > most) throw TOO_MANY
  }

  const isWord = (at: number) => at >= 0 && at < input.length && word.test(input[at] ?? '')
  const isBreak = (at: number) => flags.includes('m') && breaks.test(input[at] ?? '')
  const holds = (edge: string, at: number) => {
    if (edge === '^') return at === 0 || isBreak(at - 1)
    if (edge === '$') return at === input.length || isBreak(at)
    return (isWord(at - 1) !== isWord(at)) === (edge === 'b')
  }

  /** Answers where the whole match ends, or -1. `step` is 1 forwards and -1 inside of a look behind. */
  function match(node: Node, step: 1 | -1, then: Then): Then {
    switch (node.kind) {
      case 'place':
        return (at) => {
          count()
          const character = input[step === 1 ? at : at - 1]
          return character !== undefined && node.takes(character) ? then(at + step) : -1
        }
      case 'sequence': {
        const items = step === 1 ? node.items.toReversed() : node.items
        return items.reduce((after, item) => match(item, step, after), then)
      }
      case 'choice': {
        const options = node.options.map((option) => match(option, step, then))
        return (at) => {
          for (const option of options) {
            const end = option(at)
            if (end >= 0) return end
          }
          return -1
        }
      }
      case 'edge':
        return (at) => {
          count()
          return holds(node.edge, at) ? then(at) : -1
        }
      case 'group': {
        let start = 0
        const close = match(node.body, step, (at) => {
          const text = input.slice(Math.min(start, at), Math.max(start, at)).join('')
          if (node.index > 0) captured.set(String(node.index), text)
          if (node.name) captured.set(node.name, text)
          return then(at)
        })
        return (at) => {
          start = at
          return close(at)
        }
      }
      case 'again':
        return (at) => {
          const wanted = [...(captured.get(node.group) ?? '')]
          steps += wanted.length
          count()
          const from = step === 1 ? at : at - wanted.length
          return wanted.every((character, index) => input[from + index] === character)
            ? then(at + step * wanted.length)
            : -1
        }
      case 'look': {
        const body = match(node.body, node.behind ? -1 : 1, (at) => at)
        return (at) => {
          count()
          return body(at) >= 0 === node.negated ? -1 : then(at)
        }
      }
      case 'repeat':
        return repeat(node, step, then)
    }
  }

  function repeat(node: Node & { kind: 'repeat' }, step: 1 | -1, then: Then): Then {
    const { body, min, max, lazy } = node
    if (body.kind === 'place' && !lazy) {
      return (at) => {
        let [end, times] = [at, 0]
        for (; times < max; times += 1, end += step) {
          count()
          const character = input[step === 1 ? end : end - 1]
          if (character === undefined || !body.takes(character)) break
        }
        for (; times >= min; times -= 1, end -= step) {
          count()
          const found = then(end)
          if (found >= 0) return found
        }
        return -1
      }
    }
    let [times, from] = [0, -1]
    const once = match(body, step, (at) => {
      const [timesHere, fromHere] = [times, from]
      // A turn that took nothing would go on for ever.
      const found = at === fromHere && timesHere >= min ? -1 : goOn(at, timesHere + 1)
      ;[times, from] = [timesHere, fromHere]
      return found
    })
    const turn = (at: number, done: number) => {
      if (done >= max) return -1
      const [timesHere, fromHere] = [times, from]
      ;[times, from] = [done, at]
      const found = once(at)
      ;[times, from] = [timesHere, fromHere]
      return found
    }
    const goOn = (at: number, done: number): number => {
      count()
      if (done < min) return turn(at, done)
      const first = lazy ? then(at) : turn(at, done)
      return first >= 0 ? first : lazy ? turn(at, done) : then(at)
    }
    return (at) => goOn(at, 0)
  }

  const whole = match(tree.root, 1, (at) => at)
  const everywhere = !flags.includes('y')
  const again = flags.includes('g')
  try {
    for (let at = 0; at <= input.length; ) {
      const end = whole(at)
      if (end >= 0 && !again) break
      if (end < 0 && !everywhere) break
      at = end > at ? end : at + 1
    }
  } catch (error) {
    if (error !== TOO_MANY) throw error
  }
  return steps
}

const TOO_MANY = Symbol('more steps than were allowed')
