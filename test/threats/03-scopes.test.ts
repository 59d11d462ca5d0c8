import { describe, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedKey, seedSite } from '#test/data/seed.ts'

const app = await startApp()
const site = await seedSite(app.db)
const revoked = await seedKey(app.db, { scope: 'write' })
const expired = await seedKey(app.db, { scope: 'write' })
await app.db.query(`update api_keys set revoked_at = now() where id = $1`, [revoked.id])
await app.db.query(`update api_keys set expires_at = now() - interval '1 second' where id = $1`, [expired.id])

const keys = {
  none: undefined,
  wrong: 'vsk_wrong',
  read: (await seedKey(app.db)).key,
  write: (await seedKey(app.db, { scope: 'write' })).key,
  manage: (await seedKey(app.db, { scope: 'manage' })).key,
  'read, limited to the site': (await seedKey(app.db, { siteIds: [site] })).key,
  revoked: revoked.key,
  expired: expired.key,
}
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'] as const

/** The statuses of each route in the order of `methods`, for keys that are rejected, may read, or may write or manage. */
const matrix = {
  '/api/sites.php': {
    refused: [401, 401, 401, 401, 401, 401, 401, 401, 401],
    read: [200, 405, 405, 405, 405, 405, 405, 405, 405],
    write: [200, 405, 405, 405, 405, 405, 405, 405, 405],
  },
  [`/api/vouchers.php?site_id=${site}`]: {
    refused: [401, 401, 401, 401, 401, 401, 401, 401, 401],
    read: [200, 405, 403, 405, 405, 405, 405, 405, 405],
    write: [200, 405, 400, 405, 405, 405, 405, 405, 405],
  },
  '/api/openapi.php': {
    refused: [200, 405, 405, 405, 405, 405, 405, 405, 405],
    read: [200, 405, 405, 405, 405, 405, 405, 405, 405],
    write: [200, 405, 405, 405, 405, 405, 405, 405, 405],
  },
  '/api/nothing.php': {
    refused: [404, 404, 404, 404, 404, 404, 404, 404, 404],
    read: [404, 404, 404, 404, 404, 404, 404, 404, 404],
    write: [404, 404, 404, 404, 404, 404, 404, 404, 404],
  },
}

describe.each(Object.entries(matrix))('%s', (path, expected) => {
  test.each(Object.entries(keys))('key: %s', async (name, key) => {
    const right = name.startsWith('read') ? 'read' : ['write', 'manage'].includes(name) ? 'write' : 'refused'
    const statuses = []
    for (const method of methods) {
      statuses.push((await app.call(path, { method, ...(key !== undefined && { key }) })).status)
    }

    expect(statuses).toEqual(expected[right])
  })
})
