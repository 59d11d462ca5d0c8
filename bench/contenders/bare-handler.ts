import fastify from 'fastify'
import pg from 'pg'
import { listStatement } from '../statements.ts'

/**
 * A bare Fastify server without key check, limit, cache or tuning. `/list` reads the rows of a list and serialises
 * them, `/hello` answers a constant.
 */
const [databaseUrl, port] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })
const statement = listStatement('$1')

type Row = {
  code: string
  name: string
  max_uses: number
  expire_minutes: number
  status: string
  used_count: number
  created_at: Date
  expires_at: Date | null
}

const app = fastify()

app.get<{ Querystring: { site_id: string } }>('/list', async (request) => {
  const now = new Date()
  const { rows } = await pool.query<Row>(statement, [Number(request.query.site_id)])
  return { vouchers: rows.map((row) => toVoucher(now, row)) }
})

/** The members of API v1, so that its answers have the same bytes as those of the service. */
function toVoucher(now: Date, row: Row) {
  const isExpired = row.status === 'valid' && row.expires_at !== null && row.expires_at <= now
  return {
    voucher_code: row.code,
    voucher_name: row.name,
    max_uses: row.max_uses,
    expire_minutes: row.expire_minutes,
    status: isExpired ? 'expired' : row.status,
    used_count: row.used_count,
    created_at: row.created_at,
    expires_at: row.expires_at,
  }
}

app.get('/hello', async () => ({ hello: 'world' }))

await app.listen({ host: '127.0.0.1', port: Number(port) })
process.once('SIGTERM', () => process.exit(0))
