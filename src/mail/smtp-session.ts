import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { type CheckedCertificate, causeOfDistrust, judgeCertificate, shownCertificate } from '#lib/certificate.ts'
import { AddressRefused, AddressUnknown, resolveAllowed } from '#lib/connect-allowed.ts'
import { parseFingerprint } from '#lib/fingerprint.ts'
import type { Lookup } from '#lib/look-up-name.ts'
import { MailFailure, type MailServer } from './mail.ts'
import type { MailAddressPolicy } from './mail-address-policy.ts'
import type { PreparedMail } from './prepare-mail.ts'
import { readReply } from './read-reply.ts'

export type MailTimeouts = { nameMs: number; connectMs: number; greetingMs: number; replyMs: number; totalMs: number }

export type MailOptions = {
  addressPolicy: MailAddressPolicy
  lookup?: Lookup | undefined
  timeouts?: Partial<MailTimeouts>
}

/** Some servers delay their greeting by six seconds or more to keep senders of spam away. */
const usualTimeouts: MailTimeouts = {
  nameMs: 3_000,
  connectMs: 5_000,
  greetingMs: 12_000,
  replyMs: 20_000,
  totalMs: 30_000,
}

/** How long one of several addresses is tried before the next one. Node's own 250 ms are too short for distant servers. */
const addressMs = 1_000

/** A connection to the mail server. Call its steps in this order; each throws a `MailFailure` if it fails. */
export class SmtpSession {
  readonly timeouts: MailTimeouts
  /** The certificate that the server showed, also if it was not accepted. */
  certificate: CheckedCertificate | undefined
  readonly #server: MailServer
  readonly #options: MailOptions
  #addresses: { address: string; family: number }[] = []
  #socket: Socket | undefined
  #smtp: SMTPConnection | undefined
  #broken: Promise<never> | undefined
  #greeting = ''
  #isClosed = false

  constructor(server: MailServer, options: MailOptions) {
    this.#server = server
    this.#options = options
    this.timeouts = { ...usualTimeouts, ...options.timeouts }
  }

  /** Resolves the name of the server. The session connects only to these addresses, because the next lookup could return others. */
  async resolveName(): Promise<string[]> {
    const { host, port, security, username, password } = this.#server
    if (security === 'none' && (username !== null || password !== null)) throw new MailFailure('password_unencrypted')
    const { addressPolicy, lookup } = this.#options
    const resolve = (policy: MailAddressPolicy['encrypted']) =>
      resolveAllowed(host, port, policy, { lookup, timeoutMs: this.timeouts.nameMs })
    try {
      this.#addresses = await resolve(addressPolicy.encrypted)
    } catch (error) {
      if (error instanceof AddressRefused) throw new MailFailure('address_forbidden')
      if (error instanceof AddressUnknown) throw new MailFailure('name_unknown')
      throw error
    }
    if (security === 'none' && this.#addresses.some(({ address }) => !addressPolicy.unencrypted.allows(address, port)))
      throw new MailFailure('address_not_private')
    return this.#addresses.map(({ address }) => address)
  }

  /** Connects, and reads the greeting if the connection is not encrypted from the start. */
  async connect(): Promise<string | null> {
    if (this.#isClosed) throw new MailFailure('connection_lost')
    const { host, port, security } = this.#server
    const [first] = this.#addresses
    const socket = connect({
      host,
      port,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: addressMs,
      lookup: (_host, { all }, found) =>
        all ? found(null, this.#addresses) : found(null, first?.address ?? '', first?.family),
    })
    this.#socket = socket.on('error', () => {}) // each step listens for itself; without a listener the process would end
    const timer = setTimeout(() => socket.destroy(new MailFailure('no_answer')), this.timeouts.connectMs)
    try {
      await once(socket, 'connect')
    } catch (error) {
      throw toConnectFailure(error as NodeJS.ErrnoException)
    } finally {
      clearTimeout(timer)
    }
    socket.pause()
    return security === 'tls' ? null : this.#greet(socket)
  }

  /** Encrypts the connection and checks the certificate. Returns the version of TLS; null if the settings say that there is none. */
  async encrypt(): Promise<string | null> {
    const { security } = this.#server
    const plain = this.#open()
    if (security === 'none') return null
    if (security === 'starttls') await this.#askForEncryption(plain)
    const socket = await this.#startTls(plain)
    this.#judgeCertificate(socket)
    if (security === 'tls') await this.#greet(socket)
    return socket.getProtocol() ?? ''
  }

  /** Signs in. Returns the answer of the server; null without a user name or a password. */
  async signIn(): Promise<string | null> {
    const { username, password } = this.#server
    const smtp = await this.#startSmtp()
    if (username === null || password === null) return null
    if (!smtp.allowsAuth) throw new MailFailure('sign_in_not_offered')
    return this.#ask<string>((done) =>
      smtp.login({ user: username, pass: password }, (error) =>
        error ? done(error) : done(null, String(smtp.lastServerResponse)),
      ),
    )
  }

  /** Hands a message over. Returns the answer of a server that accepted it. */
  async send({ from, to, message }: PreparedMail): Promise<string> {
    const smtp = await this.#startSmtp()
    return this.#ask<string>((done) =>
      smtp.send({ from, to: [to], size: message.length }, message, (error, info) =>
        error ? done(error) : done(null, String(info?.response)),
      ),
    )
  }

  /** Says goodbye after an accepted message. The server does not have to be silent to be left. */
  quit(): void {
    this.#smtp?.quit()
    this.#socket?.unref()
    setTimeout(() => this.close(), this.timeouts.connectMs).unref()
  }

  close(): void {
    this.#isClosed = true
    this.#smtp?.close()
    this.#socket?.destroy()
  }

  #open(): Socket {
    if (!this.#socket || this.#socket.destroyed) throw new MailFailure('connection_lost')
    return this.#socket
  }

  async #greet(socket: Socket): Promise<string> {
    const greeting = await readReply(socket, this.timeouts.greetingMs)
    if (!greeting.startsWith('220')) throw new MailFailure('server_refused', greeting)
    this.#greeting = greeting
    return greeting
  }

  async #askForEncryption(socket: Socket): Promise<void> {
    socket.write(`EHLO ${nameOf(socket)}\r\n`)
    const offer = await readReply(socket, this.timeouts.replyMs)
    if (!offer.startsWith('250')) throw new MailFailure('server_refused', offer)
    if (!/^250[ -]STARTTLS\s*$/im.test(offer)) throw new MailFailure('starttls_missing')
    socket.write('STARTTLS\r\n')
    const answer = await readReply(socket, this.timeouts.replyMs)
    if (!answer.startsWith('220')) throw new MailFailure('starttls_missing', answer)
  }

  async #startTls(plain: Socket): Promise<TLSSocket> {
    const { host } = this.#server
    const socket = connectTls({
      socket: plain,
      host,
      ...(isIP(host) === 0 && { servername: host }),
      rejectUnauthorized: false, // judgeCertificate decides, so that a test can show a certificate that is not accepted
    })
    this.#socket = socket.on('error', () => {})
    const timer = setTimeout(() => socket.destroy(new MailFailure('no_answer')), this.timeouts.connectMs)
    try {
      await Promise.race([once(socket, 'secureConnect'), failOnClose(socket)])
    } catch (error) {
      if (error instanceof MailFailure) throw error
      throw new MailFailure('not_tls')
    } finally {
      clearTimeout(timer)
    }
    socket.pause()
    return socket
  }

  #judgeCertificate(socket: TLSSocket): void {
    const { certificatePin } = this.#server
    const shown = shownCertificate(socket)
    const pin = certificatePin === null ? null : (parseFingerprint(certificatePin) ?? Buffer.alloc(0))
    this.certificate = judgeCertificate(shown, pin)
    if (this.certificate.trust !== 'untrusted') return
    throw new MailFailure(certificatePin === null ? causeOfDistrust(shown) : 'certificate_changed')
  }

  /** Hands the socket to nodemailer, which gets the greeting that was already read. */
  async #startSmtp(): Promise<SMTPConnection> {
    const socket = this.#open()
    if (this.#smtp) return this.#smtp
    const { default: Connection } = await import('nodemailer/lib/smtp-connection')
    const isSecure = this.#server.security !== 'none'
    const smtp = new Connection({
      connection: socket,
      host: this.#server.host,
      name: nameOf(socket),
      secure: isSecure,
      secured: isSecure,
      ignoreTLS: true,
      connectionTimeout: this.timeouts.replyMs,
      greetingTimeout: this.timeouts.greetingMs,
      socketTimeout: this.timeouts.replyMs,
      maxResponseSize: 64 * 1024,
    })
    this.#smtp = smtp
    const broken = Promise.withResolvers<never>()
    broken.promise.catch(() => {})
    this.#broken = broken.promise
    smtp.on('error', (error: Error) => broken.reject(toSmtpFailure(error)))
    smtp.on('end', () => broken.reject(new MailFailure('connection_lost')))
    socket.unshift(Buffer.from(`${this.#greeting}\r\n`))
    await this.#ask((done) => smtp.connect((error) => done(error ?? null, undefined)))
    return smtp
  }

  /** Waits for a step of nodemailer, or for the end of the connection. */
  async #ask<T>(step: (done: (error: Error | null, result?: T) => void) => void): Promise<T> {
    const answered = new Promise<T>((resolve, reject) =>
      step((error, result) => (error ? reject(toSmtpFailure(error)) : resolve(result as T))),
    )
    return Promise.race([answered, this.#broken as Promise<never>])
  }
}

/** The name that this machine gives itself. Servers expect a name with a domain, or else the address. */
function nameOf({ localAddress = '127.0.0.1' }: Socket): string {
  const name = hostname()
  if (/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(name) && isIP(name) === 0) return name
  const address = localAddress.replace(/^::ffff:/, '')
  return isIP(address) === 6 ? `[IPv6:${address}]` : `[${address}]`
}

async function failOnClose(socket: Socket): Promise<never> {
  await once(socket, 'close')
  throw new MailFailure('not_tls')
}

function toConnectFailure(error: NodeJS.ErrnoException): MailFailure {
  if (error instanceof MailFailure) return error
  // With several addresses, Node throws an AggregateError, which has the code of the first one.
  if (error.code === 'ECONNREFUSED') return new MailFailure('port_closed')
  return new MailFailure(error.code === 'ETIMEDOUT' ? 'no_answer' : 'no_connection')
}

type SmtpError = Error & { code?: string; response?: string; responseCode?: number; command?: string }

/** Replies to a message that say that this service must sign in first, which is no fault of the message. */
const signInReplies = [503, 530, 534, 535, 538]

/** Says what an error of nodemailer means. Its message is left out: it repeats addresses. */
function toSmtpFailure(error: SmtpError): MailFailure {
  if (error instanceof MailFailure) return error
  const { code, response = null, responseCode = 0 } = error
  const isFinal = responseCode >= 500 && responseCode < 600
  if (code === 'EAUTH') return new MailFailure(isFinal ? 'credentials_refused' : 'not_now', response)
  if (code === 'EENVELOPE' || code === 'EMESSAGE') {
    if (signInReplies.includes(responseCode)) return new MailFailure('sign_in_required', response)
    if (isFinal) return new MailFailure('message_rejected', response)
    // Without a reply, nodemailer itself found the message too large for the server.
    if (response === null) return new MailFailure('message_rejected', 'The message is larger than the server accepts.')
    return new MailFailure('not_now', response)
  }
  if (response !== null) return new MailFailure('server_refused', response)
  return new MailFailure(code === 'ETIMEDOUT' ? 'no_answer' : 'connection_lost')
}
