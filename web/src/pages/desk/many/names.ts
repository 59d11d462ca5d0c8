import { longestName } from '../../../components/creation/desk-input.ts'

/** The most vouchers of one batch. */
export const mostVouchers = 1_000

export type NameList = {
  /** One for each voucher, in the order of the lines. */
  names: string[]
  /** The names that are also in an earlier line. Capitals make no difference. */
  doubles: string[]
  /** The line of the first name that is too long; null if there is none. The first line is 1. */
  tooLongLine: number | null
}

/** Reads a pasted list: one name per line. Empty lines do not count. A tab, as between the cells of a spreadsheet, is a space. */
export function readNames(text: string): NameList {
  const lines = linesOf(text)
  const names = lines.filter((line) => line !== '')
  const isDouble = findDoubles(names)
  const tooLong = lines.findIndex((line) => [...line].length > longestName)
  return {
    names,
    doubles: names.filter((_, index) => isDouble[index]),
    tooLongLine: tooLong === -1 ? null : tooLong + 1,
  }
}

/** The list without the lines whose name is in an earlier line, and without empty lines. */
export function withoutDoubles(text: string): string {
  const names = linesOf(text).filter((line) => line !== '')
  const isDouble = findDoubles(names)
  return names.filter((_, index) => !isDouble[index]).join('\n')
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/).map((line) => line.replaceAll('\t', ' ').trim())
}

function findDoubles(names: string[]): boolean[] {
  const seen = new Set<string>()
  return names.map((name) => {
    const key = name.toLowerCase().replace(/\s+/g, ' ')
    const isDouble = seen.has(key)
    seen.add(key)
    return isDouble
  })
}
