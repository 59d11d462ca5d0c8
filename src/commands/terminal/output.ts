import { snakeCase } from '#lib/snake-case.ts'
import type { Terminal } from './terminal.ts'

/** Prints one record or a list of records: as JSON after `--json`, otherwise as lines or columns. */
export function print(terminal: Terminal, result: object | object[]): void {
  const text = terminal.json ? JSON.stringify(toWire(result), null, 2) : forPeople(result)
  terminal.stdout.write(`${text}\n`)
}

export function forPeople(result: object | object[]): string {
  return Array.isArray(result) ? toColumns(result.map(toCells)) : toLines(toCells(result))
}

type Cells = [name: string, value: string][]

function toColumns(rows: Cells[]): string {
  const [first] = rows
  if (!first) return 'none'
  const table = [first.map(([name]) => name), ...rows.map((row) => row.map(([, value]) => value))]
  const widths = first.map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0)))
  return table
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function toLines(cells: Cells): string {
  const width = Math.max(...cells.map(([name]) => name.length))
  return cells.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')
}

function toCells(row: object): Cells {
  return Object.entries(row).map(([name, value]) => [snakeCase(name), toCell(value)])
}

function toCell(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-'
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? value.join(',') || '-' : String(value)
}

/** Uses the same field names as the API. */
function toWire(result: object | object[]): unknown {
  if (Array.isArray(result)) return result.map(toWire)
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [snakeCase(name), value]))
}
