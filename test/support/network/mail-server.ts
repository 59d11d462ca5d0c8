import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { createMailAddressPolicy } from '#mail/mail-address-policy.ts'
import { onFileEnd } from '../on-file-end.ts'
import { createCertificateAuthority, type IssuedCertificate } from './certificate-authority.ts'
import { listen } from './sockets.ts'

/** What a command gets: an answer with its code, or the end of the connection. */
type MailFault = { code: number; text: string } | 'cut'

type ReceivedMail = { from: string; to: string[]; message: Buffer; isEncrypted: boolean; user: string | null }

export type TestMailServer = {
  port: number
  received: ReceivedMail[]
  /** Everything that clients sent before the encryption, and how many connections there were. */
  plainText: () => string
  connections: () => number
  /** How long each answer to a whole message takes. */
  waitsMs: number
  /** Each greeting waits for it. */
  greetsAfter: Promise<void>
  /** Replaces the answers to these steps. */
  faults: { greeting?: MailFault; signIn?: MailFault; from?: MailFault; to?: MailFault; data?: MailFault }
}

type ServerOptions = {
  security?: 'starttls' | 'tls' | 'none'
  certificate?: IssuedCertificate
  /** With a password, the server asks for it. */
  password?: string
  options?: SMTPServerOptions
}

export const mailUser = 'voucher@mail.example'

/** A mail server of nodemailer's authors. It takes every message unless `faults` says otherwise. */
export async function startMailServer({
  security = 'starttls',
  certificate,
  password,
  options = {},
}: ServerOptions = {}): Promise<TestMailServer> {
  const faults: TestMailServer['faults'] = {}
  const received: ReceivedMail[] = []
  const state = { waitsMs: 0, greetsAfter: Promise.resolve() }
  const sockets = new Map<Socket, string>()
  const answer = (step: keyof TestMailServer['faults'], done: (error?: Error | null) => void) => {
    const fault = faults[step]
    if (fault === undefined) return done()
    if (fault === 'cut') for (const socket of sockets.keys()) socket.resetAndDestroy()
    else done(Object.assign(new Error(fault.text), { responseCode: fault.code }))
  }
  const server = new SMTPServer({
    name: 'mail.example',
    secure: security === 'tls',
    ...(certificate && { key: certificate.key, cert: certificate.certificate }),
    authOptional: password === undefined,
    disabledCommands: [...(security === 'starttls' ? [] : ['STARTTLS']), ...(password === undefined ? ['AUTH'] : [])],
    disableReverseLookup: true,
    logger: false,
    ...options,
    onConnect: (_session, done) => void state.greetsAfter.then(() => answer('greeting', done)),
    onAuth: (given, _session, done) => {
      if (given.username !== mailUser || given.password !== password) return done(new Error('Wrong name or password'))
      answer('signIn', (error) => done(error, { user: given.username }))
    },
    onMailFrom: (_address, _session, done) => answer('from', done),
    onRcptTo: (_address, _session, done) => answer('to', done),
    onData: async (stream, { envelope, secure, user = null }, done) => {
      const message = await buffer(stream).catch(() => undefined)
      if (!message) return // the client was killed
      await pause(state.waitsMs)
      const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
      answer('data', (error) => {
        if (!error)
          received.push({ from, to: envelope.rcptTo.map(({ address }) => address), message, isEncrypted: secure, user })
        done(error, 'OK: queued as 4F2C1D0')
      })
    },
  })
  server.on('error', () => {}) // clients that leave, and failed handshakes
  server.server.on('connection', (socket: Socket) => {
    sockets.set(socket, '')
    socket.prependListener('data', (chunk: Buffer) => sockets.set(socket, `${sockets.get(socket)}${chunk}`))
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  onFileEnd(() => {
    for (const socket of sockets.keys()) socket.destroy()
    server.close()
  })
  const { port } = server.server.address() as AddressInfo
  return Object.assign(state, {
    port,
    received,
    faults,
    plainText: () => [...sockets.values()].join(''),
    connections: () => sockets.size,
  })
}

/** A server that follows a script: a text that it sends when the client has sent the text before it. */
export async function startScriptedServer(
  script: [whenSent: string, send: string][],
): Promise<{ port: number; sent: () => string }> {
  let sent = ''
  const server = createServer((socket) => {
    let step = 0
    let unanswered = ''
    const go = () => {
      const [expected, reply] = script[step] ?? []
      if (expected === undefined || !unanswered.includes(expected)) return
      unanswered = ''
      step++
      socket.write(reply ?? '')
      go()
    }
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      sent += chunk
      unanswered += chunk
      go()
    })
    go()
  })
  return { port: await listen(server), sent: () => sent }
}

/** A server that takes a message and answers the goodbye with a character every 20 ms, for ever. */
export async function startTalkingServer(): Promise<{ port: number; isLeft: () => boolean }> {
  let isLeft = false
  const server = createServer((socket) => {
    let received = ''
    const answer = (text: string) => {
      received = ''
      socket.write(text)
    }
    socket.on('error', () => {}).on('close', () => (isLeft = true))
    socket.on('data', (chunk) => {
      received += chunk
      if (received === 'DATA\r\n') answer('354 Go on\r\n')
      else if (received === 'QUIT\r\n') {
        const talk = setInterval(() => socket.write('2'), 20)
        socket.on('close', () => clearInterval(talk))
      } else if (/^(EHLO|MAIL|RCPT).*\r\n$|\r\n\.\r\n$/s.test(received)) answer('250 Ok\r\n')
    })
    socket.write('220 mail.example\r\n')
  })
  return { port: await listen(server), isLeft: () => isLeft }
}

export const mailAddressPolicy = createMailAddressPolicy({ port: 1, databaseUrl: 'postgres://localhost:2/x' })

/** No machine trusts it. */
export const mailAuthority = await createCertificateAuthority()

/** A certificate for `mail.example`. */
export function issueMailCertificate(options: { notAfter?: Date } = {}): Promise<IssuedCertificate> {
  return mailAuthority.issue({ commonName: 'mail.example', hosts: ['mail.example'], ...options })
}
