import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { scaleRules, waitingMs } from './scale-rules.ts'

const rule = (expr: string, wait = '10m') => `groups:
  - name: voucher-service
    rules:
      - alert: A
        expr: '${expr}'
        for: ${wait}
        labels: { severity: warning }
`

const scaled = (text: string) => parse(scaleRules(text, 30)).groups[0].rules[0]

test('`for` and ranges are divided, and everything else stays', () => {
  expect(scaled(rule('rate(a_total{status=~"5.."}[5m]) / rate(a_total[15m]) > 0.05'))).toEqual({
    alert: 'A',
    expr: 'rate(a_total{status=~"5.."}[10000ms]) / rate(a_total[30000ms]) > 0.05',
    for: '20000ms',
    labels: { severity: 'warning' },
  })
  expect(scaled(rule('a > 0', '1h')).for).toBe('120000ms')
})

test('thresholds of at least 60 seconds are divided; counts, shares and speeds are not', () => {
  expect(scaled(rule('max(a) > 900 and max(a) > max(b) + 300 and max(c) == 0')).expr).toBe(
    'max(a) > 30 and max(a) > max(b) + 10 and max(c) == 0',
  )
  const untouched = 'count(a) >= 3 and b > 0.2 * c and histogram_quantile(0.95, d) > 1 and e_p99 > 0.5'
  expect(scaled(rule(untouched)).expr).toBe(untouched)
})

test('a rule waits for its longest range or threshold, and then for its `for`', () => {
  expect(waitingMs(rule('max(a) > 900 and max(a) > max(b) + 300'), 'A')).toBe(1_500_000)
  expect(waitingMs(rule('rate(a[15m]) / rate(b[5m]) > 0.2'), 'A')).toBe(1_500_000)
  expect(() => waitingMs(rule('a > 0'), 'B')).toThrow('has no rule B')
})

test('a duration with another unit is an error, not a wrong time', () => {
  expect(() => scaleRules(rule('rate(a[1d])'), 30)).toThrow('The duration 1d')
})
