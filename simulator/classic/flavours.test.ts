import { afterEach, expect, test } from 'vitest'
import { type RunningSimulator, type SimulatorOptions, startSimulator } from '../start-simulator.ts'
import { clientOf, sessionOf } from '../test-client.ts'

let simulator: RunningSimulator
afterEach(() => simulator.close())

async function started(flavour: 'console' | 'self-hosted', options: SimulatorOptions = {}) {
  simulator = await startSimulator({ flavour, ...options })
  return { client: clientOf(simulator), session: sessionOf(simulator, flavour) }
}

test('a console shows a page, rejects the old sign-in path and serves both APIs', async () => {
  const { client, session } = await started('console')

  const root = await client.call('/')
  expect([root.status, root.headers.get('content-type'), root.headers.get('x-csrf-token')]).toEqual([
    200,
    'text/html',
    null,
  ])
  const legacy = await client.call('/api/login', { method: 'POST', body: {} })
  expect([legacy.status, legacy.json()]).toEqual([401, { error: { code: 401, message: 'Unauthorized' } }])
  await client.behave({ oldController: true })
  expect((await client.call('/api/login', { method: 'POST', body: {} })).status).toBe(403)
  expect((await client.integration('/info')).status).toBe(200)
  await session.signIn()
  expect((await session.get('/api/self/sites')).status).toBe(200)
})

test('a self-hosted application redirects to /manage and has no Integration API', async () => {
  const { client, session } = await started('self-hosted')

  const root = await client.call('/')
  expect([root.status, root.headers.get('location')]).toEqual([302, '/manage'])
  expect((await client.call('/manage')).status).toBe(200)
  expect((await client.integration('/info')).status).toBe(404)
  await session.signIn()
  expect((await session.get('/api/self/sites')).status).toBe(200)
})

test('the classic API lists the sites of the Integration API under their classic names', async () => {
  const { session, client } = await started('console', {
    sites: [
      { internalReference: 'default', name: 'Main office' },
      { internalReference: "o'b/n", name: 'Branch' },
    ],
  })
  await session.signIn()

  const [main, branch] = simulator.sites
  const id = expect.stringMatching(/^[0-9a-f]{24}$/)
  expect((await session.get('/api/self/sites')).json()).toEqual({
    meta: { rc: 'ok' },
    data: [
      {
        _id: id,
        name: 'default',
        desc: 'Main office',
        role: 'admin',
        attr_hidden_id: 'default',
        attr_no_delete: true,
        external_id: main?.id,
      },
      { _id: id, name: "o'b/n", desc: 'Branch', role: 'admin', external_id: branch?.id },
    ],
  })
  expect((await session.get("/api/s/o'b%2Fn/stat/voucher")).json()).toEqual({ meta: { rc: 'ok' }, data: [] })
  await client.behave({ readOnly: true })
  expect((await session.get('/api/self/sites')).json().data[0].role).toBe('readonly')
})

test.each(['nowhere', '%zz'])(
  'the unknown site %s gets 401 NoSiteContext, and the session stays open',
  async (site) => {
    const { session } = await started('self-hosted')
    await session.signIn()

    const expected = { meta: { rc: 'error', msg: 'api.err.NoSiteContext' }, data: [] }
    const list = await session.get(`/api/s/${site}/stat/voucher`)
    expect([list.status, list.json()]).toEqual([401, expected])
    const create = await session.post(`/api/s/${site}/cmd/hotspot`, { cmd: 'create-voucher', expire: 60 })
    expect([create.status, create.json()]).toEqual([401, expected])
    expect(await session.list()).toEqual([])
  },
)

test('the status needs a session on a console but not on a self-hosted application', async () => {
  const open = await started('self-hosted')
  expect((await open.client.call('/status')).json()).toEqual({
    meta: { rc: 'ok', up: true, uuid: expect.any(String) },
    data: [],
  })
  await simulator.close()

  const { client, session } = await started('console')
  expect((await client.call('/proxy/network/status')).status).toBe(401)
  await session.signIn()
  expect((await session.get('/status')).json().meta).toMatchObject({ rc: 'ok', up: true })
})

test('/api/self returns the account of the session, and 401 without a session', async () => {
  const { client, session } = await started('console')
  expect((await client.call('/api/users/self')).status).toBe(401)
  await session.signIn()
  expect((await session.get('/api/self')).json().data).toMatchObject([{ name: 'api' }])
  await simulator.close()

  const hosted = await started('self-hosted')
  expect((await hosted.client.call('/api/self')).status).toBe(401)
  await hosted.session.signIn()
  expect((await hosted.session.get('/api/self')).json().data).toMatchObject([{ name: 'api' }])
})

test('the version is in the status before Network 10, and always in the system information', async () => {
  const { client, session } = await started('console')
  await session.signIn()

  expect((await session.get('/status')).json().meta).not.toHaveProperty('server_version')
  expect((await session.get('/api/s/default/stat/sysinfo')).json().data[0].version).toBe('10.3.55')
  await client.behave({ version: '9.1.120' })
  expect((await session.get('/status')).json().meta.server_version).toBe('9.1.120')
  expect((await session.get('/api/s/default/stat/sysinfo')).json().data[0].version).toBe('9.1.120')
  expect((await client.integration('/info')).json()).toEqual({ applicationVersion: '9.1.120' })
})

test('while the controller boots, every request outside /control gets an HTML 502', async () => {
  const { client, session } = await started('console')
  await client.behave({ booting: true })

  const answers = [await client.call('/'), await session.signIn(), await client.integration('/info')]
  expect(answers.map(({ status }) => status)).toEqual([502, 502, 502])
  for (const { headers } of answers) expect(headers.get('content-type')).toBe('text/html')
  await client.behave({ booting: false })
  expect((await session.signIn()).status).toBe(200)
})

test('unknown paths get 404', async () => {
  const { client, session } = await started('console')
  await session.signIn()

  expect((await client.call('/nowhere')).status).toBe(404)
  expect((await session.get('/api/nowhere')).json().meta).toEqual({ rc: 'error', msg: 'api.err.NotFound' })
  expect((await session.get('/api/s/default/cmd/hotspot')).status).toBe(404)
})
