import { type Answer, call } from '#test/network/http-client.ts'
import type { ComparedRequest } from './compared-requests.ts'

export type Difference = {
  request: ComparedRequest
  /** `status`, `body`, or the field of the body, for example `message` or `vouchers[].created_at`. */
  at: string
  tool: unknown
  ours: unknown
}

/**
 * Sends each request to both servers, one after the other, and returns the differences in status and JSON body. Codes, times and
 * the date in a name differ, so only their form is compared. When the status differs, the rest of the answer is not compared.
 */
export async function compareAnswers(
  toolUrl: string,
  ourUrl: string,
  requests: ComparedRequest[],
): Promise<Difference[]> {
  const differences: Difference[] = []
  for (const request of requests) {
    const [tool, ours] = [await send(toolUrl, request), await send(ourUrl, request)]
    const found =
      tool.status === ours.status
        ? diff('', readBody(tool, request), readBody(ours, request))
        : [{ at: 'status', tool: shortAnswer(tool), ours: shortAnswer(ours) }]
    differences.push(...found.map((difference) => ({ request, ...difference })))
  }
  return differences
}

function send(url: string, { path, method, headers, body }: ComparedRequest): Promise<Answer> {
  return call(url + path, { method, headers, ...(body !== undefined && { body }) })
}

function shortAnswer({ status, text }: Answer): string {
  return `${status} ${text.startsWith('<') ? 'HTML' : text.slice(0, 200)}`
}

function readBody(answer: Answer, { method, isOrdered }: ComparedRequest): unknown {
  if (method === 'HEAD') return ''
  const body = parse(answer.text)
  if (!isObject(body)) return body
  if ('paths' in body) return { openapi: body['openapi'], paths: pathsOf(body) }
  if ('code' in body) return { ...body, code: formOf(body['code']), formatted_code: formOf(body['formatted_code']) }
  const { vouchers } = body
  if (!Array.isArray(vouchers)) return body
  return { vouchers: isOrdered ? vouchers.map(readRow) : vouchers.map(readRow).toSorted(byName) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text.startsWith('<') ? 'HTML' : text
  }
}

function pathsOf({ paths }: Record<string, any>): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item as object).map((method) => `${method} ${path}`),
  )
}

/** Different codes of the same length have the same form. */
function formOf(code: unknown): string {
  return String(code).replace(/\d/g, '9')
}

function readRow(row: Record<string, unknown>): Record<string, unknown> {
  return {
    ...row,
    voucher_name: String(row['voucher_name']).replace(/^\d{4}-\d\d-\d\d_/, ''),
    voucher_code: formOf(row['voucher_code']),
    created_at: timeForm(row['created_at']),
    expires_at: timeForm(row['expires_at']),
  }
}

function timeForm(time: unknown): unknown {
  if (typeof time !== 'string') return time
  if (/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(time)) return 'local time'
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(time) ? 'time in UTC' : time
}

/** Vouchers that were created in the same second have no order. */
function byName(a: Record<string, unknown>, b: Record<string, unknown>): number {
  const [one, other] = [JSON.stringify([a['voucher_name'], a]), JSON.stringify([b['voucher_name'], b])]
  return one < other ? -1 : 1
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The differences between two values. Rows of a list have no number in `at`, and equal differences appear once. */
function diff(at: string, tool: unknown, ours: unknown): Omit<Difference, 'request'>[] {
  if (Array.isArray(tool) && Array.isArray(ours)) {
    const key = `${at}[]`
    if (tool.length !== ours.length) return [{ at: key, tool: onlyIn(tool, ours), ours: onlyIn(ours, tool) }]
    const found = tool.flatMap((row, i) => diff(key, row, ours[i]))
    return [...new Map(found.map((difference) => [JSON.stringify(difference), difference])).values()]
  }
  if (isObject(tool) && isObject(ours)) {
    const fields = [...new Set([...Object.keys(tool), ...Object.keys(ours)])]
    return fields.flatMap((field) => diff(at === '' ? field : `${at}.${field}`, tool[field], ours[field]))
  }
  return Object.is(tool, ours) ? [] : [{ at: at === '' ? 'body' : at, tool, ours }]
}

function onlyIn(rows: any[], others: any[]): unknown[] {
  const nameOf = (row: any) => row.voucher_name ?? row.name ?? row
  const rest = others.map(nameOf)
  return rows.map(nameOf).filter((name) => {
    const found = rest.indexOf(name)
    if (found >= 0) rest.splice(found, 1)
    return found < 0
  })
}
