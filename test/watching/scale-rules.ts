import { parse, stringify } from 'yaml'

type Rule = { alert: string; expr: string; for: string }
type Rules = { groups: { rules: Rule[] }[] }

const unitMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 }
/** Smaller numbers are shares, counts, or the speed of a request or of the event loop. These are not times to wait for. */
const leastSeconds = 60

/**
 * Divides the times of alert rules: `for`, ranges such as `[5m]`, and thresholds of 60 and more, which are seconds. Then a test
 * can see in minutes what takes hours in an installation.
 */
export function scaleRules(text: string, divisor: number): string {
  const rules = parse(text) as Rules
  for (const rule of rules.groups.flatMap((group) => group.rules)) {
    rule.for = scaleDuration(rule.for, divisor)
    rule.expr = rule.expr
      .replace(/(?<=\[)\w+(?=\])/g, (range) => scaleDuration(range, divisor))
      .replace(/(?<=[>+<] )\d+(?:\.\d+)?\b/g, (number) =>
        Number(number) < leastSeconds ? number : String(Number(number) / divisor),
      )
  }
  return stringify(rules)
}

/** The time that a rule waits: the longest of its ranges and thresholds, and then `for`. */
export function waitingMs(text: string, alert: string): number {
  const rules = parse(text) as Rules
  const rule = rules.groups.flatMap((group) => group.rules).find((each) => each.alert === alert)
  if (!rule) throw new Error(`alerts.yml has no rule ${alert}`)
  const ranges = [...rule.expr.matchAll(/\[(\w+)\]/g)].map(([, range]) => durationMs(range as string))
  const thresholds = [...rule.expr.matchAll(/> (\d+)\b/g)]
    .map(([, number]) => Number(number))
    .filter((number) => number >= leastSeconds)
  return durationMs(rule.for) + Math.max(0, ...ranges, ...thresholds.map((seconds) => seconds * 1_000))
}

function scaleDuration(duration: string, divisor: number): string {
  return `${Math.round(durationMs(duration) / divisor)}ms`
}

function durationMs(duration: string): number {
  const [, number, unit = ''] = /^(\d+)([smh])$/.exec(duration) ?? []
  const factor = unitMs[unit]
  if (number === undefined || factor === undefined)
    throw new Error(`The duration ${duration} is not a number with s, m or h`)
  return Number(number) * factor
}
