import { X509Certificate } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import PostalMime from 'postal-mime'
import { beforeEach, describe, expect, test } from 'vitest'
import { hostileNames } from '#test/hostile-names.ts'
import { timeLimit } from '#test/measuring.ts'
import {
  issueMailCertificate,
  mailAddressPolicy,
  mailAuthority,
  mailUser,
  startMailServer,
  startScriptedServer,
  startTalkingServer,
} from '#test/network/mail-server.ts'
import { startListener } from '#test/network/sockets.ts'
import type { Mail, MailServer } from './mail.ts'
import { sendMail } from './send-mail.ts'

const certificate = await issueMailCertificate()
const certificatePin = new X509Certificate(certificate.certificate).fingerprint256
const password = 'pässword of the mail server'
const server = await startMailServer({ certificate, password })
const openServer = await startMailServer({ security: 'none' })

beforeEach(() => {
  for (const each of [server, openServer]) {
    each.received.length = 0
    for (const step of Object.keys(each.faults)) delete each.faults[step as keyof typeof each.faults]
  }
})

const settings = (changes: Partial<MailServer> = {}): MailServer => ({
  host: '127.0.0.1',
  port: server.port,
  security: 'starttls',
  username: mailUser,
  password,
  certificatePin,
  ...changes,
})

const open = (changes: Partial<MailServer> = {}) =>
  settings({
    port: openServer.port,
    security: 'none',
    username: null,
    password: null,
    certificatePin: null,
    ...changes,
  })

const mail = (changes: Partial<Mail> = {}): Mail => ({
  from: { name: 'Hotel Goldener Adler', address: 'wlan@adler.example' },
  replyTo: 'empfang@adler.example',
  to: 'guest@example.org',
  subject: 'Ihr WLAN-Code für den Urlaub',
  text: 'Ihr Code: 12345-67890\n.\nGrüße\n',
  html: '<p>Ihr Code: <b>12345-67890</b></p><img src="cid:qr">',
  attachments: [
    { cid: 'qr', fileName: 'qr.png', type: 'image/png', bytes: Buffer.from([0x89, 0x50, 0, 13, 10, 46, 255]) },
  ],
  messageId: '<m1@adler.example>',
  date: new Date('2026-11-20T10:00:00Z'),
  ...changes,
})

const options = { addressPolicy: mailAddressPolicy }

test('a message is sent over STARTTLS with a password, and arrives with all of its parts', async () => {
  const answer = await sendMail(settings(), mail(), options)

  expect(answer).toEqual({ outcome: 'accepted', answer: '250 OK: queued as 4F2C1D0' })
  const [received] = server.received
  expect(received).toMatchObject({
    from: 'wlan@adler.example',
    to: ['guest@example.org'],
    isEncrypted: true,
    user: mailUser,
  })
  const parsed = await PostalMime.parse(received?.message ?? '')
  expect(parsed).toMatchObject({
    from: { name: 'Hotel Goldener Adler', address: 'wlan@adler.example' },
    to: [{ address: 'guest@example.org' }],
    replyTo: [{ address: 'empfang@adler.example' }],
    subject: 'Ihr WLAN-Code für den Urlaub',
    messageId: '<m1@adler.example>',
    date: '2026-11-20T10:00:00.000Z',
  })
  expect(parsed.text?.trim()).toBe('Ihr Code: 12345-67890\n.\nGrüße')
  expect(parsed.html?.trim()).toBe(mail().html)
  const [image] = parsed.attachments
  expect(image).toMatchObject({ contentId: '<qr>', filename: 'qr.png', mimeType: 'image/png', disposition: 'inline' })
  expect(Buffer.from(image?.content as ArrayBuffer)).toEqual(mail().attachments[0]?.bytes)
})

test('a message has only ASCII in lines of at most 78 characters, and says that it was sent automatically', async () => {
  await sendMail(open(), mail({ text: `${'ä'.repeat(2_000)}\rx\n`, subject: 'ü'.repeat(300) }), options)

  const text = openServer.received[0]?.message.toString('latin1') ?? ''
  expect(text).toMatch(/^[\t\r\n\x20-\x7e]+$/)
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  expect(Math.max(...text.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(78)
  expect(text).toMatch(/^Auto-Submitted: auto-generated\r$/m)
})

test('a connection can be encrypted from the start', async () => {
  const secure = await startMailServer({ security: 'tls', certificate, password })

  expect(await sendMail(settings({ port: secure.port, security: 'tls' }), mail(), options)).toMatchObject({
    outcome: 'accepted',
  })
  expect(secure.received).toMatchObject([{ isEncrypted: true, user: mailUser }])
})

const hostileAddresses = [
  '',
  ' ',
  'guest',
  '@example.org',
  'guest@',
  'guest@@example.org',
  'guest@example.org@evil.example',
  'guest@example.org, evil@evil.example',
  'guest@example.org; evil@evil.example',
  'guest@example.org evil@evil.example',
  'guest@example.org,evil@evil.example',
  'Guest <guest@example.org>',
  '<guest@example.org>',
  'guest@example.org>',
  'guest@example.org><evil@evil.example',
  'guest@example.org> NOTIFY=SUCCESS ORCPT=rfc822;evil@evil.example',
  'guest@example.org\r\nRCPT TO:<evil@evil.example>',
  'guest@example.org\nRCPT TO:<evil@evil.example>',
  'guest@example.org\rRCPT TO:<evil@evil.example>',
  'guest\r\n@example.org',
  'guest@exam\r\nple.org',
  'guest@example.org\r\nBcc: evil@evil.example',
  'guest@example.org\u2028Bcc: evil@evil.example',
  'guest@example.org\u0085',
  'guest@example.org\u0000',
  'guest@example.org\t',
  ' guest@example.org',
  'guest@example.org ',
  '"evil@evil.example,"@example.org',
  '"a b"@example.org',
  '"<evil@evil.example>"@example.org',
  'guest(evil@evil.example)@example.org',
  'guest@example.org(comment)',
  'group: guest@example.org, evil@evil.example;',
  'undisclosed-recipients:;',
  'guest@[127.0.0.1]',
  'guest@[IPv6:::1]',
  'guest@example..org',
  'guest@.example.org',
  'guest@-example.org',
  'guest@example.org-',
  'guest@exa mple.org',
  'guest@exa_mple.org',
  'guest@exa%0d%0aple.org',
  'guest@example.org:25',
  'guest@example.org/evil',
  'guest@example.org\\evil',
  'guest@example。org,evil.example',
  'gu\u202eest@example.org',
  'gu\u200best@example.org',
  'gäst@example.org',
  'guest@example.org\u00ad,evil@evil.example',
  '=?utf-8?q?evil@evil.example?=',
  `${'a'.repeat(65)}@example.org`,
  `guest@${'a'.repeat(64)}.org`,
  `guest@${'a.'.repeat(130)}org`,
  "guest@exam'ple.org",
  'guest@example.org?bcc=evil@evil.example',
  'mailto:guest@example.org',
  'guest@example.org%0aBcc:evil@evil.example',
  'guest@example.org\\r\\nBcc:evil@evil.example',
]

test.each(hostileAddresses)('the address %j gets no message', async (to) => {
  const before = openServer.connections()

  expect(await sendMail(open(), mail({ to }), options)).toEqual({
    outcome: 'rejected',
    answer: 'The address is not valid.',
  })
  expect(await sendMail(open(), mail({ from: { name: 'x', address: to } }), options)).toMatchObject({
    outcome: 'failed',
    reason: 'sender_invalid',
  })
  expect(await sendMail(open(), mail({ replyTo: to }), options)).toMatchObject({ reason: 'sender_invalid' })
  expect(openServer.connections()).toBe(before)
  expect(openServer.received).toEqual([])
})

test.each([
  ["o'brien+wifi@example.org", "o'brien+wifi@example.org"],
  ['GUEST@EXAMPLE.ORG', 'GUEST@example.org'],
  ['a@b', 'a@b'],
])('the address %s gets the message as %s', async (to, written) => {
  await sendMail(open(), mail({ to }), options)

  expect(openServer.received.map((each) => each.to)).toEqual([[written]])
})

test('a domain with letters of other languages is written in ASCII', async () => {
  await sendMail(open(), mail({ to: 'guest@münchen.example' }), options)

  expect(openServer.plainText()).toContain('RCPT TO:<guest@xn--mnchen-3ya.example>')
  expect(openServer.received[0]?.message.toString()).toContain('To: guest@xn--mnchen-3ya.example')
})

const usualHeaders = [
  'auto-submitted',
  'content-type',
  'date',
  'from',
  'message-id',
  'mime-version',
  'reply-to',
  'subject',
  'to',
  'x-auto-response-suppress',
]

const headersOf = async (message: Buffer) => (await PostalMime.parse(message)).headers.map(({ key }) => key).toSorted()

test.each([
  ...hostileNames,
  'a, b <evil@evil.example>',
  '"Guest" <evil@evil.example>, ',
  'x\r\nBcc: evil@evil.example',
  'x\r\n\r\n<h1>body</h1>',
  'x\nX-Foreign: 1',
  '=?utf-8?q?x=0d=0aBcc:_evil@evil.example?=',
  '=?utf-8?b?eA0KQmNjOiBldmlsQGV2aWwuZXhhbXBsZQ==?=',
  `${'long '.repeat(300)}`,
])('the name %j makes no recipient and no header', async (name) => {
  await sendMail(
    open(),
    mail({
      from: { name, address: 'wlan@adler.example' },
      subject: name,
      attachments: [{ cid: 'qr', fileName: name, type: 'image/png', bytes: Buffer.from('x') }],
    }),
    options,
  )

  const [hostile] = openServer.received
  expect(hostile?.to).toEqual(['guest@example.org'])
  expect(await headersOf(hostile?.message ?? Buffer.of())).toEqual(usualHeaders)
  const parsed = await PostalMime.parse(hostile?.message ?? '')
  expect(parsed.from).toMatchObject({ address: 'wlan@adler.example' })
  const [sender, subject] = [parsed.from?.name ?? '', parsed.subject ?? '']
  for (const text of [sender, subject, parsed.attachments[0]?.filename ?? ''])
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(parsed.html?.trim()).toBe(mail().html)
  expect(parsed.attachments).toHaveLength(1)
})

describe('what the server answers', () => {
  test.each(['from', 'to', 'data'] as const)('a 5xx to the step "%s" rejects the message for good', async (step) => {
    server.faults[step] = { code: 550, text: '5.1.1 <Guest@Example.org>: no such person, code 12345-67890' }

    expect(await sendMail(settings(), mail(), options)).toEqual({
      outcome: 'rejected',
      answer: '550 5.1.1 <***>: no such person, code ***',
    })
    expect(server.received).toEqual([])
  })

  test.each(['from', 'to', 'data'] as const)(
    'a 4xx to the step "%s" fails, and the message can be sent later',
    async (step) => {
      server.faults[step] = { code: 451, text: 'Greylisted, try again in 300 seconds' }

      expect(await sendMail(settings(), mail(), options)).toEqual({
        outcome: 'failed',
        reason: 'not_now',
        answer: '451 Greylisted, try again in 300 seconds',
      })
    },
  )

  test.each(['greeting', 'signIn', 'from', 'to', 'data'] as const)(
    'a connection that is cut at the step "%s" fails',
    async (step) => {
      server.faults[step] = 'cut'

      expect(await sendMail(settings(), mail(), options)).toEqual({
        outcome: 'failed',
        reason: 'connection_lost',
        answer: null,
      })
    },
  )

  test.each([503, 530, 535])('the answer %i to a message means that the sign-in is missing', async (code) => {
    server.faults.from = { code, text: 'Authentication required' }

    expect(await sendMail(settings(), mail(), options)).toMatchObject({ outcome: 'failed', reason: 'sign_in_required' })
  })

  test('a wrong password fails, and no answer repeats it', async () => {
    server.faults.signIn = { code: 535, text: `Wrong: ${password} of ${mailUser}` }

    expect(await sendMail(settings(), mail(), options)).toEqual({
      outcome: 'failed',
      reason: 'credentials_refused',
      answer: '535 ***',
    })
    expect(await sendMail(settings({ password: 'other' }), mail(), options)).toMatchObject({
      reason: 'credentials_refused',
    })
  })

  test('an answer that repeats the command AUTH PLAIN is hidden: its argument is the password in Base64', async () => {
    for (const user of ['a', 'ab', 'abc']) {
      const argument = Buffer.from(`\0${user}\0${password}`).toString('base64')
      server.faults.signIn = { code: 535, text: `Command failed: AUTH PLAIN ${argument}` }

      expect(await sendMail(settings(), mail(), options)).toMatchObject({ answer: '535 ***' })
    }
  })

  test('a password that is an ordinary word is not guessed from a gap in an answer', async () => {
    const simple = await startMailServer({ certificate, password: 'queued' })

    expect(await sendMail(settings({ port: simple.port, password: 'queued' }), mail(), options)).toEqual({
      outcome: 'accepted',
      answer: '250 ***',
    })
  })

  test('a server without sign-in gets no password', async () => {
    const without = await startMailServer({ certificate })

    expect(await sendMail(settings({ port: without.port }), mail(), options)).toMatchObject({
      outcome: 'failed',
      reason: 'sign_in_not_offered',
    })
  })

  test('a server that sends everybody away fails', async () => {
    server.faults.greeting = { code: 554, text: 'Go away' }

    expect(await sendMail(settings(), mail(), options)).toMatchObject({
      outcome: 'failed',
      reason: 'server_refused',
      answer: '554 Go away',
    })
  })

  test('a message that is too large is rejected', async () => {
    const small = await startMailServer({ security: 'none', options: { size: 100 } })

    expect(await sendMail(open({ port: small.port }), mail(), options)).toEqual({
      outcome: 'rejected',
      answer: 'The message is larger than the server accepts.',
    })
  })
})

test('the connection to a server that keeps sending after the goodbye is closed', async () => {
  const talking = await startTalkingServer()

  const answer = await sendMail(open({ port: talking.port }), mail(), { ...options, timeouts: { connectMs: 200 } })

  expect(answer.outcome).toBe('accepted')
  await expect.poll(talking.isLeft).toBe(true)
})

describe('nothing is sent', () => {
  const isSilent = (text: string) => {
    for (const secret of ['MAIL', 'AUTH', 'guest', password]) expect(text).not.toContain(secret)
  }

  test('if the server offers no STARTTLS', async () => {
    const plain = await startMailServer({ security: 'none', password, options: { allowInsecureAuth: true } })

    expect(await sendMail(settings({ port: plain.port }), mail(), options)).toMatchObject({
      reason: 'starttls_missing',
    })
    expect(plain.connections()).toBe(1)
    isSilent(plain.plainText())
  })

  test('if the server declines STARTTLS after it offered it', async () => {
    const { port, sent } = await startScriptedServer([
      ['', '220 hello\r\n'],
      ['EHLO', '250-hello\r\n250 STARTTLS\r\n'],
      ['STARTTLS', '454 not now\r\n'],
    ])

    expect(await sendMail(settings({ port }), mail(), options)).toEqual({
      outcome: 'failed',
      reason: 'starttls_missing',
      answer: '454 not now',
    })
    isSilent(sent())
  })

  test('if text follows the answer to STARTTLS, which could be injected', async () => {
    const { port, sent } = await startScriptedServer([
      ['', '220 hello\r\n'],
      ['EHLO', '250-hello\r\n250 STARTTLS\r\n'],
      ['STARTTLS', '220 go\r\n250 AUTH PLAIN\r\n'],
    ])

    expect(await sendMail(settings({ port }), mail(), options)).toMatchObject({ reason: 'not_smtp' })
    isSilent(sent())
  })

  test.each([
    ['no authority is trusted', { certificatePin: null }, 'certificate_self_signed'],
    ['another certificate is pinned', { certificatePin: 'AA'.repeat(32) }, 'certificate_changed'],
    ['the pin is unreadable', { certificatePin: 'x' }, 'certificate_changed'],
  ])('if %s', async (_why, changes, reason) => {
    for (const security of ['starttls', 'tls'] as const) {
      const one = await startMailServer({ security, certificate, password })
      const answer = await sendMail(settings({ port: one.port, security, ...changes }), mail(), options)
      expect(answer).toEqual({ outcome: 'failed', reason, answer: null })
      isSilent(one.plainText())
      expect(one.received).toEqual([])
    }
  })

  test('without encryption if there is a password', async () => {
    const before = openServer.connections()

    for (const changes of [{ username: 'x', password: 'y' }, { password: 'y' }, { username: 'x' }])
      expect(await sendMail(open(changes), mail(), options)).toMatchObject({ reason: 'password_unencrypted' })
    expect(openServer.connections()).toBe(before)
  })

  test('without encryption to a public address, also if only one of the addresses of a name is public', async () => {
    const listener = await startListener({ address: '127.0.0.1' })
    const lookup = async () => [
      { address: '127.0.0.1', family: 4 },
      { address: '203.0.113.25', family: 4 },
    ]

    const changes = { host: 'mail.example', port: listener.port }
    expect(await sendMail(open(changes), mail(), { ...options, lookup })).toMatchObject({
      reason: 'address_not_private',
    })
    for (const host of ['198.51.100.7', '2001:db8::1', '100.64.0.1', '::ffff:8.8.8.8'])
      expect(await sendMail(open({ host }), mail(), options)).toMatchObject({ reason: 'address_not_private' })
    expect(listener.connections).toBe(0)
  })

  test.each(['169.254.169.254', '0.0.0.0', 'fe80::1', '::ffff:169.254.169.254'])(
    'to the forbidden address %s',
    async (host) => {
      expect(await sendMail(settings({ host }), mail(), options)).toMatchObject({ reason: 'address_forbidden' })
    },
  )

  test('to the database of the service', async () => {
    expect(await sendMail(open({ host: '127.0.0.1', port: 2 }), mail(), options)).toMatchObject({
      reason: 'address_forbidden',
    })
  })
})

test('the name is resolved once, and the connection goes to that address', async () => {
  let lookups = 0
  const lookup = async () => [{ address: lookups++ === 0 ? '127.0.0.1' : '203.0.113.25', family: 4 }]

  const answer = await sendMail(settings({ host: 'mail.example' }), mail(), { ...options, lookup })

  expect(answer).toMatchObject({ outcome: 'accepted' })
  expect(lookups).toBe(1)
})

test('without a pin, an authority must have signed the certificate for this name and this time', async () => {
  const { certificate: authority } = mailAuthority
  const trusted = getCACertificates()
  setDefaultCACertificates([authority])
  const old = await startMailServer({
    certificate: await issueMailCertificate({ notAfter: new Date(Date.now() - 1_000) }),
  })
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
  const send = (changes: Partial<MailServer>) =>
    sendMail(settings({ certificatePin: null, ...changes }), mail(), { ...options, lookup })

  const answers = [
    await send({ host: 'mail.example' }),
    await send({ host: 'other.example' }),
    await send({ host: '127.0.0.1' }),
    await send({ host: 'mail.example', port: old.port }),
  ]
  setDefaultCACertificates(trusted)
  const afterwards = await send({ host: 'mail.example' })

  expect([...answers, afterwards].map((each) => ('reason' in each ? each.reason : each.outcome))).toEqual([
    'accepted',
    'certificate_for_other_name',
    'certificate_for_other_name',
    'certificate_expired',
    'certificate_self_signed',
  ])
  expect(server.received).toHaveLength(1)
  expect(old.received).toEqual([])
})

test('with a pin, not even another certificate that an authority has signed is accepted', async () => {
  const trusted = getCACertificates()
  setDefaultCACertificates([mailAuthority.certificate])
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
  const answer = await sendMail(settings({ host: 'mail.example', certificatePin: 'AA'.repeat(32) }), mail(), {
    ...options,
    lookup,
  })
  setDefaultCACertificates(trusted)

  expect(answer).toMatchObject({ outcome: 'failed', reason: 'certificate_changed' })
  expect(server.received).toEqual([])
})

describe('a server that does not answer', () => {
  const quick = { ...options, timeouts: { connectMs: 300, greetingMs: 300, replyMs: 300 } }

  test.each([
    ['is silent', [], 'no_answer'],
    ['is silent after EHLO', [['', '220 hello\r\n']], 'no_answer'],
    ['speaks another protocol', [['', 'SSH-2.0-OpenSSH_9.2\r\n']], 'not_smtp'],
    ['speaks without end', [['', `220-${'x'.repeat(20_000)}`]], 'not_smtp'],
    [
      'is silent after STARTTLS',
      [
        ['', '220 hello\r\n'],
        ['EHLO', '250 STARTTLS\r\n'],
        ['STARTTLS', '220 go\r\n'],
      ],
      'no_answer',
    ],
  ] as const)('and %s', async (_how, script, reason) => {
    const { port } = await startScriptedServer(script.map(([when, send]) => [when, send]))

    expect(await sendMail(settings({ port }), mail(), quick)).toEqual({ outcome: 'failed', reason, answer: null })
  })

  test.each(['', 'EHLO', 'MAIL', 'DATA', '\r\n.\r\n'])('after %j of a plain session', async (last) => {
    const script: [string, string][] = [
      ['', '220 hello\r\n'],
      ['EHLO', '250 hello\r\n'],
      ['MAIL', '250 ok\r\n'],
      ['RCPT', '250 ok\r\n'],
      ['DATA', '354 go\r\n'],
      ['\r\n.\r\n', '250 ok\r\n'],
    ]
    const { port } = await startScriptedServer(
      script.slice(
        0,
        script.findIndex(([when]) => when === last),
      ),
    )

    expect(await sendMail(open({ port }), mail(), quick)).toMatchObject({ outcome: 'failed', reason: 'no_answer' })
  })

  test('is given up when the whole time is over, and closed', async () => {
    const { port } = await startScriptedServer([
      ['', '220 hello\r\n'],
      ['EHLO', '250-hello\r\n'],
    ])
    const startedAt = performance.now()

    const answer = await sendMail(open({ port }), mail(), { ...options, timeouts: { totalMs: 500 } })

    expect(answer).toEqual({ outcome: 'failed', reason: 'no_answer', answer: null })
    expect(performance.now() - startedAt).toBeLessThan(timeLimit(2_000))
  })

  test('a closed port and an unknown name are told apart', async () => {
    const lookup = async () => []

    expect(await sendMail(open({ port: 9 }), mail(), options)).toMatchObject({ reason: 'port_closed' })
    expect(await sendMail(open({ host: 'mail.example' }), mail(), { ...options, lookup })).toMatchObject({
      reason: 'name_unknown',
    })
  })

  test('no connection is opened when the time was over before the name was found', async () => {
    const listener = await startListener({ address: '127.0.0.1' })
    const lookup = async () => {
      await wait(300)
      return [{ address: '127.0.0.1', family: 4 }]
    }

    await sendMail(open({ host: 'mail.example', port: listener.port }), mail(), {
      ...options,
      lookup,
      timeouts: { totalMs: 50 },
    })
    await wait(400)

    expect(listener.connections).toBe(0)
  })
})
