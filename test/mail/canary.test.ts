import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { findText } from '#test/data/find-text.ts'
import { seedControlledSite, seedKey, seedPerson } from '#test/data/seed.ts'
import { isLong, report } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { listen } from '#test/network/sockets.ts'
import { startService } from '#test/service.ts'

type Step = 'greeting' | 'from' | 'to' | 'data' | 'end'
/** What the server answers at a step. It ends the connection after the answers of `closes`. */
type Fault = { at: Step; answer: (address: string) => string; closes?: true }

const percent = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')
const split = (address: string, at: number) => [address.slice(0, at), address.slice(at)] as const

/** Each answer has the address in another form. A 4xx is repeated until the test heals the server. */
const faults: Record<string, Fault> = {
  plain: { at: 'to', answer: (a) => `550 5.1.1 No mailbox ${a} here` },
  'in angle brackets': { at: 'to', answer: (a) => `550 5.1.1 <${a}>: Recipient address rejected` },
  'in upper case': { at: 'to', answer: (a) => `550 NO SUCH USER ${a.toUpperCase()}` },
  'split over two lines': {
    at: 'to',
    answer: (a) => `550-5.1.1 unknown ${split(a, 9)[0]}\r\n550 5.1.1 ${split(a, 9)[1]} here`,
  },
  'split at the @': { at: 'to', answer: (a) => `550-unknown ${a.split('@')[0]}@\r\n550 ${a.split('@')[1]}` },
  'percent-encoded @': { at: 'to', answer: (a) => `550 See https://mail.example/?to=${a.replace('@', '%40')}` },
  'all percent-encoded': { at: 'end', answer: (a) => `554 See https://mail.example/?to=${percent(a)}` },
  'without the @': { at: 'to', answer: (a) => `550 User ${a.split('@')[0]} unknown in ${a.split('@')[1]}` },
  'in a returned path': {
    at: 'from',
    answer: (a) => `550 Bounce address bounce+${a.replace('@', '=')}@mail.example rejected`,
  },
  'as xtext and base64': {
    at: 'data',
    answer: (a) => `554 ORCPT=rfc822;${a.replace('@', '+40')} id=${Buffer.from(a).toString('base64')}`,
  },
  'not now': { at: 'to', answer: (a) => `451 4.7.1 Greylisted: ${a.replace('@', ' AT ')}` },
  'in the greeting, closed': { at: 'greeting', answer: (a) => `421 No service for ${a}`, closes: true },
  'in no answer of SMTP': { at: 'end', answer: (a) => `${a} ${a.toUpperCase()}`, closes: true },
  'in an acceptance': { at: 'end', answer: (a) => `250 2.0.0 Ok: queued for <${a}> as 4F2C1D0` },
}
const accepted = ['in an acceptance', 'not now', 'in the greeting, closed', 'in no answer of SMTP']
const levels = isLong ? ['trace', 'debug', 'info'] : ['trace']

test.each(levels)(
  'no address of a guest in a log or table, whatever the mail server answers; log level %s',
  async (level) => {
    const db = await createTestDatabase()
    const local = `Canary.${randomBytes(6).toString('hex')}`
    const address = `${local}@guest-${randomBytes(4).toString('hex')}.example`
    const server = await startFaultyServer(address)
    const simulator = await startSimulator()
    const site = await seedControlledSite(db, simulator)
    const { key } = await seedKey(db, { scope: 'write' })
    const { session } = await seedPerson(db)
    const env = {
      LOG_LEVEL: level,
      WEBHOOK_RETRY_SCALE: '0.01',
      MAIL_SERVER: `127.0.0.1:${server.port}`,
      MAIL_SECURITY: 'none',
      MAIL_FROM: 'Adler <wlan@adler.example>',
    }
    const [api, worker] = [await startService(db.url, env), await startService(db.url, env, 'worker')]
    const create = (name: string, email: string) =>
      call(`${api.url}/api/v2/vouchers`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'idempotency-key': name.replace(' ', '-') },
        body: JSON.stringify({ site_id: site, name, message: { email, language: 'de' } }),
      })
    const stateOf = async (name: string) =>
      (
        await db.query<{ state: string; attempts: number }>(
          `select m.state, m.attempts from messages m join vouchers v on v.site_id = m.site_id and v.id = m.voucher_id
          where v.name = $1`,
          [name],
        )
      ).rows[0]

    let id = ''
    for (const [index, [name, fault]] of Object.entries(faults).entries()) {
      await db.query(`delete from issuing_counters where scope like 'mail-to:%'`) // one address gets only ten a day
      const before = server.faulty()
      server.fault = fault
      const answer = await create(`Gast ${index}`, address)
      expect([name, answer.status]).toEqual([name, 201])
      id = answer.json().id
      await expect.poll(async () => (await stateOf(`Gast ${index}`))?.attempts).toBeGreaterThan(0)
      if (accepted.includes(name)) {
        await expect.poll(() => server.faulty()).toBeGreaterThan(before)
        if (name !== 'in an acceptance') server.fault = undefined
      }
      const expected = accepted.includes(name) ? 'accepted' : 'rejected'
      await expect.poll(async () => [name, (await stateOf(`Gast ${index}`))?.state]).toEqual([name, expected])
    }
    server.fault = undefined
    // Addresses in the wrong place, and a creation that makes nothing.
    await simulator.fault('forbidden')
    await create('refused', address)
    await create('invalid', `${address}, ${address}`)
    await call(`${api.url}/api/v2/vouchers/${id}/messages?email=${address}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const shown = await call(`${api.url}/api/v2/vouchers/${id}/messages`, {
      headers: { cookie: `voucher-session=${session}` },
    })
    expect(shown.json().messages[0].email).toBe(address) // a person may see it for a day
    await Promise.all([api.stop(), worker.stop()])

    const [half, domain] = [local.slice(8), address.split('@')[1] as string]
    const forms = [address, local, domain, half, percent(address), Buffer.from(address).toString('base64').slice(0, 40)]
    const log = [...api.log, ...worker.log]
    const inLog = log.filter((line) => forms.some((form) => line.toLowerCase().includes(form.toLowerCase())))
    report(`lines of the log at level ${level}, faults`, [log.length, Object.keys(faults).length])
    expect(log.length).toBeGreaterThan(2)
    expect(inLog).toEqual([])
    expect(await findText(db, ...forms)).toEqual([])

    const withAddress = async () => (await db.query('select from messages where email is not null')).rowCount
    expect(await withAddress()).toBe(Object.keys(faults).length)
    await db.query(
      `update messages set settled_at = settled_at - interval '25 hours', created_at = created_at - interval '25 hours'`,
    )
    const sweeping = await startService(db.url, env, 'worker')
    await expect.poll(withAddress).toBe(0)
    await sweeping.stop()

    expect(await findText(db, ...forms)).toEqual([])
    const { rows: answers } = await db.query<{ answer: string | null }>('select distinct answer from messages')
    for (const { answer } of answers) expect(answer ?? '250').toMatch(/^\d{3}( \d\.\d\.\d)?$/)
    expect(sweeping.log.filter((line) => line.toLowerCase().includes(half))).toEqual([])
  },
)

/** Speaks as much SMTP as a message needs. At the step of its fault, it answers with the address. */
async function startFaultyServer(
  address: string,
): Promise<{ port: number; fault: Fault | undefined; faulty: () => number }> {
  let faulty = 0
  const state = { port: 0, fault: undefined as Fault | undefined, faulty: () => faulty }
  const usual: Record<Step, string> = {
    greeting: '220 mail.example ESMTP',
    from: '250 Ok',
    to: '250 Ok',
    data: '354 Go on',
    end: '250 2.0.0 Ok: queued as 4F2C1D0',
  }
  const server = createServer((socket) => {
    let received = ''
    let isData = false
    const answer = (step: Step) => {
      const { fault } = state
      if (fault?.at !== step) return void socket.write(`${usual[step]}\r\n`)
      faulty++
      socket.write(`${fault.answer(address)}\r\n`)
      if (fault.closes) socket.end()
    }
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      received += chunk
      for (;;) {
        const end = received.indexOf(isData ? '\r\n.\r\n' : '\r\n')
        if (end < 0) return
        const line = received.slice(0, end)
        received = received.slice(end + (isData ? 5 : 2))
        if (isData) {
          isData = false
          answer('end')
        } else if (/^MAIL/i.test(line)) answer('from')
        else if (/^RCPT/i.test(line)) answer('to')
        else if (/^DATA/i.test(line)) {
          isData = state.fault?.at !== 'data'
          answer('data')
        } else socket.write(/^QUIT/i.test(line) ? '221 Bye\r\n' : '250 mail.example\r\n')
      }
    })
    answer('greeting')
  })
  state.port = await listen(server)
  return state
}
