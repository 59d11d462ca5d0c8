import { execFile } from 'node:child_process'
import { randomBytes, X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { codeOf } from '#test/data/second-factors.ts'
import { seedPerson } from '#test/data/seed.ts'
import { isLong } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { issueMailCertificate, mailUser, startMailServer } from '#test/network/mail-server.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { type SinkAnswer, startWebhookSink } from '#test/network/webhook-sink.ts'
import { startService } from '#test/service.ts'
import { faultKinds } from '../../simulator/faults/fault-queue.ts'

/** `trace` writes every line that the other levels write. */
const levels = isLong ? ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] : ['trace']
/** Faults that only waste time; the others take a second or two each. */
const slow = ['hang-before', 'hang-after', 'slow', 'slow-drip', 'huge']
const kinds = faultKinds.filter((kind) => isLong || !slow.includes(kind))
const canary = (what: string) => `canary-${what}-${randomBytes(12).toString('hex')}`

test.each(levels)(
  'no secret in an answer, a log line or a dump, whatever fails; log level %s',
  { timeout: isLong ? 900_000 : 120_000 },
  async (level) => {
    const db = await createTestDatabase()
    const [password, controllerPassword, wifiPassword] = [canary('person'), canary('controller'), canary('wifi')]
    const mailPassword = canary('mail')
    const certificate = await issueMailCertificate()
    const mailServer = await startMailServer({ certificate, password: mailPassword })
    const { email } = await seedPerson(db, { role: 'admin', password })
    const simulator = await startSimulator('--flavour', 'self-hosted', '--password', controllerPassword)
    const sink = await startWebhookSink()
    const service = await startService(db.url, { LOG_LEVEL: level }, 'start')
    const shown: string[] = []
    let cookie = ''

    /** Sends a request as the web app does, and keeps the answer. */
    async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const answer = await call(`${service.url}/api/v2${path}`, {
        method,
        headers: { cookie, origin: service.url, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }).catch((error) => ({ status: 0, text: String(error), headers: {}, json: () => ({}) }) as never)
      shown.push(`${method} ${path.split('?')[0]} ${answer.status} ${answer.text}`)
      return answer
    }

    /** The answer of a request that may show a secret. It is not kept. */
    async function receive(method: string, path: string, body: unknown) {
      const answer = await send(method, path, body)
      shown.pop()
      expect({ path, text: answer.text, isOk: answer.status < 300 }).toMatchObject({ isOk: true })
      return answer.json()
    }

    const signedIn = await send('POST', '/session', { email, password })
    cookie = String(signedIn.headers['set-cookie']).split(';', 1)[0] as string
    const controller = {
      name: 'Canary',
      driver: 'unifi-classic',
      address: simulator.url,
      username: simulator.login.username,
      secret: controllerPassword,
    }
    const { id: controllerId } = (await send('POST', '/controllers', controller)).json()
    const { id: site } = (await send('POST', '/sites', { name: 'Canary', controller_id: controllerId })).json()
    const wifi = { wifi_name: 'Guests', wifi_password: wifiPassword }
    await receive('PATCH', `/sites/${site}/guest-info`, wifi) // people print it on slips, so they may see it
    const mail = {
      host: '127.0.0.1',
      port: mailServer.port,
      username: mailUser,
      password: mailPassword,
      certificate_pin: new X509Certificate(certificate.certificate).fingerprint256,
    }
    expect((await send('PATCH', '/settings/mail', mail)).status).toBe(200)
    const key = await receive('POST', '/keys', { name: 'Canary', scope: 'write' })
    const hookPath = canary('webhook')
    const hook = await receive('POST', '/webhooks', {
      url: `${sink.url}/${hookPath}`,
      name: 'Canary',
      format: 'generic',
    })
    const person = await receive('POST', '/staff', {
      name: 'Canary',
      email: 'canary@example.com',
      role: 'desk',
      site_ids: [site],
    })
    const rolled = await receive('POST', `/keys/${key.id}/roll`, {
      prefix: key.prefix,
      old_valid_until: new Date(Date.now() + 3_600_000).toISOString(),
    })
    const app = await receive('POST', '/me/authenticator-app', undefined)
    const code = await codeOf(db, app.secret)
    const { recovery_codes: recoveryCodes } = await receive('POST', '/me/authenticator-app/check', { code })
    expect((await send('POST', '/me/authenticator-app/activate')).status).toBe(204)
    const secrets = {
      password,
      controllerPassword,
      wifiPassword,
      mailPassword,
      cookie: cookie.split('=')[1] as string,
      key: key.secret.slice(12),
      rolledKey: rolled.secret.slice(12),
      webhookUrl: hookPath,
      webhookSecret: hook.secret,
      invitation: person.password_link.token,
      authenticatorApp: app.secret,
      recoveryCode: recoveryCodes[0],
    }

    const answers: SinkAnswer[] = [401, 404, 500, 'reset', { status: 302, headers: { location: `/${hookPath}` } }]
    for (const [index, kind] of kinds.entries()) {
      sink.answerWith(answers[index % answers.length] as SinkAnswer)
      await simulator.fault(kind, { on: 'any', times: 2, delayMs: 5 })
      await send(
        'POST',
        '/vouchers',
        { site_id: site, name: `Guest ${index}` },
        { authorization: `Bearer ${key.secret}` },
      )
      await send('GET', `/controllers/${controllerId}/sites`)
      await send('POST', `/sites/${site}/sync`, {})
      await simulator.forgetFaults()
    }
    await send('POST', `/webhooks/${hook.id}/test`, {})
    await send('POST', '/controllers/check', { controller_id: controllerId })
    await send('POST', '/controllers/check', { ...controller, name: undefined, username: 'somebody-else' })

    const failing = [undefined, 'cut', { code: 550, text: `no, ${mailPassword}` }] as const
    for (const step of ['signIn', 'data'] as const)
      for (const fault of failing) {
        if (fault) mailServer.faults[step] = fault
        else delete mailServer.faults[step]
        await send('POST', '/settings/mail/test', { to: 'guest@example.com' })
      }
    expect(mailServer.received.length).toBeGreaterThan(0)

    // Secrets in the wrong place: other fields, other types, headers, the query.
    for (const secret of Object.values(secrets)) {
      await send('POST', '/controllers', { ...controller, secret: [secret], passwort: secret })
      await send('POST', '/session', { email, password: secret, token: secret })
      await send('PATCH', '/settings/mail', { ...mail, password: [secret], username: { secret } })
      await send('POST', '/settings/mail/test', { ...mail, host: `${secret} `, password: secret, to: secret })
      const wrong = await send('POST', '/session', { email, password: `${secret}x` })
      expect([401, 429]).toContain(wrong.status)
      const inOtherField = await send('POST', '/session', { email: secret, password: 'four random words' })
      expect([401, 429]).toContain(inOtherField.status)
      const altered = { token: `${secret}x`, new_password: `${secret} four random words` }
      expect([403, 429]).toContain((await send('POST', '/password-links', altered)).status)
      await send('POST', '/session/second-factor', { recovery_code: secret })
      await send('POST', '/session/again', { password: secret })
      await send('POST', '/me/authenticator-app/check', { code: secret })
      await send('POST', '/setup/check', { token: secret })
      await send('POST', '/setup', { token: secret, name: 'x', email, password: secret, language: 'en' })
      await send('POST', '/webhooks', { url: `ftp://${secret}@example.com/`, secret })
      await send('PATCH', `/sites/${site}/guest-info`, { wifi_password: { secret }, [secret.slice(0, 3)]: secret })
      await send('GET', `/me?key=${secret}`, undefined, { authorization: `Basic ${secret}`, 'x-api-key': `${secret}x` })
      await send('PUT', '/me/password', { current_password: secret, new_password: 'short' })
    }
    // A database that ends the connections of the service under load.
    const sent = [1, 2, 3].map((n) =>
      send('POST', '/keys', { name: `Lost ${n}`, scope: 'nothing', secret: key.secret }),
    )
    await db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    await Promise.all(sent)
    await expect.poll(async () => (await send('GET', '/audit?limit=200')).status).toBe(200)
    for (const path of [
      '/keys',
      '/webhooks',
      `/webhooks/${hook.id}/deliveries`,
      '/staff',
      '/controllers',
      '/me/sessions',
      '/settings/mail',
    ])
      expect([path, (await send('GET', path)).status]).toEqual([path, 200])
    await service.stop()

    const { stdout: dump } = await promisify(execFile)('pg_dump', ['--dbname', db.url], {
      maxBuffer: 256 * 1024 * 1024,
    })
    const log = service.log.join('\n')
    expect(dump).toContain('Guest 0') // the dump has the data, also of the jobs
    expect(dump).toContain('pgboss')
    expect(shown.join('\n')).toContain('Canary')
    if (level === 'trace') expect(log).toContain(key.prefix)
    for (const [name, secret] of Object.entries(secrets))
      for (const form of formsOf(secret))
        expect({
          name,
          shown: findLines(shown, form),
          log: findLines(service.log, form),
          dump: findLines(dump.split('\n'), form),
        }).toEqual({
          name,
          shown: [],
          log: [],
          dump: [],
        })
  },
)

/** The ways in which a secret might be written. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    ...new Set([
      secret,
      bytes.toString('base64').replace(/=+$/, ''),
      bytes.toString('base64url'),
      bytes.toString('hex'),
      encodeURIComponent(secret),
    ]),
  ]
}

function findLines(lines: string[], text: string): string[] {
  return lines.filter((line) => line.includes(text)).map((line) => line.slice(0, 300))
}
