import createClient from 'openapi-fetch'
import type { paths } from './openapi-fetch/schema.ts'

/** Check-in, extend and check-out with openapi-typescript and openapi-fetch. Prints what the service answered. */
const [url = '', key = '', valid_until = '', extended_until = '', extendable_until = ''] = process.argv.slice(2)
const api = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${key}` } })
const reference = 'openapi-fetch'

function answered<T>({ data, error }: { data?: T; error?: { message: string } }): T {
  if (data === undefined) throw new Error(error?.message)
  return data
}

const voucher = answered(
  await api.POST('/vouchers', {
    params: { header: { 'Idempotency-Key': reference } },
    body: { site_id: 1, name: 'Room 12', reference, valid_until, extendable_until },
  }),
)
const extended = answered(
  await api.PATCH('/vouchers/{id}', { params: { path: { id: voucher.id } }, body: { valid_until: extended_until } }),
)
let revocation = answered(await api.POST('/revocations', { body: { filter: { reference } } }))
while (revocation.state === 'running') {
  await new Promise((resolve) => setTimeout(resolve, 200))
  revocation = answered(await api.GET('/revocations/{id}', { params: { path: { id: revocation.id } } }))
}
const { vouchers } = answered(await api.GET('/vouchers', { params: { query: { reference, site_id: [1, 2] } } }))
const wrong = await api.POST('/vouchers', { body: { site_id: 1, name: '' } })
process.stdout.write(
  JSON.stringify({ voucher, extended, revocation, vouchers, error: wrong.error?.error, status: wrong.response.status }),
)
