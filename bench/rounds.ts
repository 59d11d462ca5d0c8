import { median } from '#test/measuring.ts'
import type { Line, Measured } from './measure.ts'

/** Lines that are measured in turn, round by round, and the ratios between them. */
export type Group = {
  name: string
  about: string
  lines: Line[]
  /** The name of a ratio, and the two lines whose rates it divides. */
  ratios: Record<string, [of: string, to: string]>
  /** Other figures of a line. */
  figures?: Record<string, [line: string, figure: (measured: Measured) => number]>
}

export type Spread = { median: number; low: number; high: number }

export type GroupResult = {
  name: string
  about: string
  lines: { name: string; rounds: Measured[] }[]
  ratios: Record<string, Spread>
  figures: Record<string, Spread>
}

type RoundOptions = { rounds: number; seconds: number; say: (text: string) => void }

/**
 * Measures all lines of a group once in each round. Every second round goes backwards, so that a line does not always
 * follow the same neighbour.
 */
export async function runGroup(group: Group, { rounds, seconds, say }: RoundOptions): Promise<GroupResult> {
  say(`${group.name}: warm-up`)
  for (const { prepare } of group.lines) await prepare?.()
  const measured = new Map<string, Measured[]>(group.lines.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const line of round % 2 === 0 ? group.lines : group.lines.toReversed()) {
      say(`${group.name}, round ${round + 1} of ${rounds}: ${line.name}`)
      measured.get(line.name)?.push(await line.measure(seconds))
    }
  }
  const ratios = Object.entries(group.ratios).flatMap(([name, [of, to]]) => {
    const [ours, theirs] = [measured.get(of), measured.get(to)]
    return ours && theirs ? [[name, pairedRatio(ours, theirs)] as const] : []
  })
  return {
    name: group.name,
    about: group.about,
    lines: [...measured].map(([name, results]) => ({ name, rounds: results })),
    ratios: Object.fromEntries(ratios),
    figures: Object.fromEntries(
      Object.entries(group.figures ?? {}).map(([name, [line, figure]]) => [
        name,
        spreadOf((measured.get(line) ?? []).map(figure)),
      ]),
    ),
  }
}

/** Divides the rates of the same round, because a temporary slowdown of the machine affects both. */
function pairedRatio(ours: Measured[], theirs: Measured[]): Spread {
  return spreadOf(ours.map(({ perSecond }, round) => perSecond / (theirs[round] as Measured).perSecond))
}

export function spreadOf(values: number[]): Spread {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) }
}
