import { validate as isUuid } from 'uuid'
import { DomainError } from '#domain/errors.ts'
import { erasureReasons, type Receipt } from '#domain/guests/erasures.queries.ts'
import { publicId } from '#domain/public-id.ts'
import { maxSiteId } from '#domain/sites/sites.queries.ts'
import { CommandRefused } from '../terminal/refusals.ts'

/** A receipt as one line of JSON, with the names of API v2. Rows of lists are named by the list and their number. */
export function toReceiptLine({ id, at, by, reason, finishedAt, siteIds, items }: Receipt): string {
  const idsOf = (kind: string) => items.filter((item) => item.kind === kind).map(publicId)
  const rows = items
    .filter(({ kind }) => kind === 'row')
    .map((row) => ({ batch_id: publicId(row), number: row.number }))
  return JSON.stringify({
    ...{ id, at, by, reason, finished_at: finishedAt, site_ids: siteIds },
    ...{ vouchers: idsOf('voucher'), requests: idsOf('creation'), rows },
  })
}

/** The last line: how many receipts are before it, and when they were read. With `since`, earlier receipts are left out. */
type Seal = { count: number; at: Date; since: Date | null }

export function toLastLine(seal: Seal): string {
  return JSON.stringify({ seal })
}

/** All receipts of an installation at a time. */
export type AllReceipts = { receipts: Receipt[]; at: Date }

/** Reads the lines of one complete output. One bad line rejects all of them, so that a damaged file is never half applied. */
export function readReceiptLines(text: string): AllReceipts {
  const lines = text.split('\n').map((line, i) => ({ line, number: i + 1 }))
  const filled = lines.filter(({ line }) => line.trim() !== '')
  if (filled.length === 0) reject(`The file of receipts is empty. ${otherFile}`)
  const end = filled.findIndex(({ line }) => readSeal(line))
  const receipts = filled.slice(0, end === -1 ? undefined : end).map(({ line, number }) => {
    const receipt = readLine(line)
    if (!receipt) throw new DomainError('receipt_line_invalid', { details: { line: number } })
    return receipt
  })
  const seal = filled[end] && readSeal(filled[end].line)
  if (!seal)
    return reject(
      `The end of the receipts is missing after line ${filled.at(-1)?.number}: the last line says how many receipts there are. The file was cut. ${otherFile}`,
    )
  const after = filled[end + 1]
  if (after)
    reject(
      `Line ${after.number} is after the end of the receipts. A file may have only one output of \`voucher-service guests receipts\`. Use a file with the newest one alone.`,
    )
  if (seal.count !== receipts.length)
    reject(`The last line says that the file has ${seal.count} receipts, but it has ${receipts.length}. ${otherFile}`)
  if (seal.since !== null)
    reject(
      `The file has only the receipts since ${seal.since}, because it was written with --since. Use a file that was written without it.`,
    )
  return { receipts, at: new Date(seal.at) }
}

const otherFile = 'Use another copy. If you have none, see “If the receipts are lost” in docs/backups.md.'

function reject(sentence: string): never {
  throw new CommandRefused(`${sentence} Nothing was changed.`)
}

function readSeal(line: string): { count: unknown; at: string; since: unknown } | undefined {
  try {
    const { seal } = JSON.parse(line)
    return typeof seal === 'object' && seal !== null && isTime(seal.at) ? seal : undefined
  } catch {
    return undefined // a cut line
  }
}

function readLine(line: string): Receipt | undefined {
  try {
    return readReceipt(JSON.parse(line))
  } catch {
    return undefined // not JSON, or a field has another type
  }
}

const isTime = (value: unknown) => typeof value === 'string' && !Number.isNaN(Date.parse(value))
const isSite = (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxSiteId
const kinds = ['key', 'staff', 'command', 'service']

type Line = Pick<Receipt, 'id' | 'by' | 'reason'> & {
  at: string
  site_ids: number[]
  vouchers: string[]
  requests: string[]
  rows: { batch_id: string; number: number }[]
}

/** Throws or returns undefined if a field is missing or has another type. */
function readReceipt(value: Line): Receipt | undefined {
  const { id, at, by, reason, site_ids: siteIds, vouchers, requests, rows } = value
  const isReceipt =
    isUuid(id) &&
    isTime(at) &&
    kinds.includes(by.kind) &&
    (by.id === null || isUuid(by.id)) &&
    typeof by.name === 'string' &&
    erasureReasons.includes(reason) &&
    siteIds.every(isSite)
  if (!isReceipt) return undefined
  const items = [
    ...vouchers.map((voucher) => toItem('voucher', voucher, 0)),
    ...requests.map((creation) => toItem('creation', creation, 0)),
    ...rows.map((row) => toItem('row', row.batch_id, row.number)),
  ]
  if (!items.every((item) => isUuid(item.id) && isSite(item.siteId) && Number.isInteger(item.number))) return undefined
  return {
    id,
    at: new Date(at),
    by: { kind: by.kind, id: by.id, name: by.name },
    reason,
    finishedAt: null,
    siteIds,
    items,
  }
}

function toItem(kind: Receipt['items'][0]['kind'], text: string, number: number): Receipt['items'][0] {
  const hyphen = text.indexOf('-')
  return { kind, siteId: Number(text.slice(0, hyphen)), id: text.slice(hyphen + 1), number }
}
