import { parse } from 'csv-parse/sync'
import { call } from '#test/network/http-client.ts'
import type { Service } from '#test/service.ts'

/** Answers by path. A CSV file is a list of its rows. */
export type Answers = Record<string, { status: number; body: unknown }>

/** Fields that change with every request or with time. */
const volatile = /^(last_used_at|last_seen_at|usage|synced_at|latest_valid_until)$/

/** Reads all that an administrator can read in the last release. */
export async function readEverything(api: Service, session: string): Promise<Answers> {
  const answers: Answers = {}
  const get = async (path: string) => {
    const headers = { cookie: `voucher-session=${session}` }
    const { status, text, headers: received } = await call(`${api.url}/api/v2${path}`, { headers })
    const type = String(received['content-type'])
    const isCsv = type.startsWith('text/csv')
    const body = isCsv ? parse(text, { columns: true, bom: true }) : type.includes('json') ? JSON.parse(text) : text
    const list = Object.values(Object(body)).find(Array.isArray) ?? []
    if (path === '/templates') list.sort((a, b) => (a.id < b.id ? -1 : 1)) // versions differ in their order
    answers[path] = { status, body: withoutVolatile(body) }
    return list.map(({ id }: { id: string }) => id) as string[]
  }
  for (const path of ['/session', '/me', '/me/sessions', '/overview', '/hold', '/templates', '/vouchers.csv'])
    await get(path)
  for (const path of ['/audit?limit=100', '/audit/export']) await get(path)
  for (const id of await get('/staff')) await get(`/staff/${id}`)
  for (const id of await get('/sites'))
    for (const part of ['', '/settings', '/effects', '/guest-info', '/logo']) await get(`/sites/${id}${part}`)
  for (const id of await get('/controllers')) for (const part of ['', '/sites']) await get(`/controllers/${id}${part}`)
  for (const id of await get('/webhooks')) for (const part of ['', '/deliveries']) await get(`/webhooks/${id}${part}`)
  for (const id of await get('/keys')) await get(`/keys/${id}`)
  for (const id of await get('/vouchers?limit=100'))
    for (const part of ['', '/history']) await get(`/vouchers/${id}${part}`)
  for (const id of await get('/batches'))
    for (const part of ['', '/rows', '/vouchers.csv']) await get(`/batches/${id}${part}`)
  for (const id of await get('/revocations')) for (const part of ['', '/rows']) await get(`/revocations/${id}${part}`)
  return answers
}

function withoutVolatile(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (name, value) => (volatile.test(name) ? undefined : value))
}
