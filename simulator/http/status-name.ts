import { STATUS_CODES } from 'node:http'

/** `BAD_REQUEST` for 400. */
export function statusName(status: number): string {
  return statusText(status).toUpperCase().replaceAll(' ', '_')
}

export function statusText(status: number): string {
  return STATUS_CODES[status] ?? 'Unknown'
}
