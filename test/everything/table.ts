import type { Outcome } from './attempts.ts'

/** One line for each command, and below them the test files that failed. */
export function tableOf(outcomes: Outcome[]): string {
  const rows = [
    ['command', 'time', 'result', 'log'],
    ...outcomes.map((outcome) => [
      outcome.act.command,
      outcome.state === 'not run' ? '' : clock(outcome.seconds),
      resultOf(outcome),
      outcome.log ?? '',
    ]),
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  )
  const failures = outcomes
    .filter(({ failedFiles }) => failedFiles.length > 0)
    .map(
      ({ act, failedFiles }) =>
        `\nFailed files of ${act.command}:\n${failedFiles.map((file) => `  ${file}\n`).join('')}`,
    )
  return `${lines.join('\n')}\n${failures.join('')}`
}

function resultOf({ state, exitCode, passedFiles, failedFiles }: Outcome): string {
  const all = passedFiles.length + failedFiles.length
  const files = all > 0 ? `, ${all} test files` : ''
  if (state === 'passed') return `passed${files}`
  if (state === 'failed')
    return failedFiles.length > 0
      ? `FAILED: ${failedFiles.length} of ${all} test files`
      : `FAILED: exit code ${exitCode}`
  return `${state}${files}`
}

function clock(seconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${Math.floor(seconds / 3_600)}:${two((seconds % 3_600) / 60)}:${two(seconds % 60)}`
}
