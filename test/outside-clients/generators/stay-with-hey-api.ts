import { client } from './hey-api/client.gen.ts'
import { createVoucher, getRevocation, listVouchers, revokeVouchers, updateVoucher } from './hey-api/sdk.gen.ts'

/** Check-in, extend and check-out with the client that @hey-api/openapi-ts makes. Prints what the service answered. */
const [url = '', key = '', valid_until = '', extended_until = '', extendable_until = ''] = process.argv.slice(2)
client.setConfig({ baseUrl: url, auth: ({ scheme }) => (scheme === 'bearer' ? key : undefined) })
const reference = 'hey-api'
const throwOnError = true

const { data: voucher } = await createVoucher({
  headers: { 'Idempotency-Key': reference },
  body: { site_id: 1, name: 'Room 12', reference, valid_until, extendable_until },
  throwOnError,
})
const { data: extended } = await updateVoucher({
  path: { id: voucher.id },
  body: { valid_until: extended_until },
  throwOnError,
})
let { data: revocation } = await revokeVouchers({ body: { filter: { reference } }, throwOnError })
while (revocation.state === 'running') {
  await new Promise((resolve) => setTimeout(resolve, 200))
  revocation = (await getRevocation({ path: { id: revocation.id }, throwOnError })).data
}
const { data: list } = await listVouchers({ query: { reference, site_id: [1, 2] }, throwOnError })
const wrong = await createVoucher({ body: { site_id: 1, name: '' } })
process.stdout.write(
  JSON.stringify({
    voucher,
    extended,
    revocation,
    vouchers: list.vouchers,
    error: wrong.error?.error,
    status: wrong.response?.status,
  }),
)
