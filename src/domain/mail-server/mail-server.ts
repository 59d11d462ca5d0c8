import type { Database, Queryable } from '#db/database.ts'
import { decrypt, encrypt, type Keyring } from '#lib/cipher.ts'
import { type MailSecurity, type MailServer, usualPorts } from '#mail/mail.ts'
import { readMailHost } from '#mail/read-mail-settings.ts'
import { type Actor, requireAllSites } from '../actor.ts'
import { changed, recordAudit, recordChange } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { type FixedSettings, requireChangeable } from '../settings/house.ts'
import { deleteSetting, findSetting, insertSetting, lockSettings, secretPlace } from '../settings/settings.queries.ts'
import { mailServerSetting } from './mail-server.queries.ts'

export type MailServerContext = { db: Queryable; keyring: Keyring; fixedSettings: FixedSettings }

/** The mail server as people see it. */
export type MailServerSettings = Omit<MailServer, 'password'> & { passwordSet: boolean }

type Stored = { server: Omit<MailServer, 'password'>; secret: string | null }

/** The mail server with its password; null if there is none. */
export async function findMailServer(ctx: MailServerContext): Promise<MailServer | null> {
  const { mail_server: fixed } = ctx.fixedSettings
  if (fixed) return fixed
  const stored = await readStored(ctx.db)
  return stored && { ...stored.server, password: decryptPassword(ctx.keyring, stored.secret) }
}

export async function readMailServer(
  ctx: Pick<MailServerContext, 'db' | 'fixedSettings'>,
): Promise<MailServerSettings | null> {
  const { mail_server: fixed } = ctx.fixedSettings
  if (fixed) {
    const { password, ...server } = fixed
    return { ...server, passwordSet: password !== null }
  }
  const stored = await readStored(ctx.db)
  return stored && { ...stored.server, passwordSet: stored.secret !== null }
}

async function readStored(db: Queryable): Promise<Stored | null> {
  const found = await findSetting(db, mailServerSetting)
  return found ? { server: found.value as Stored['server'], secret: found.secret } : null
}

function decryptPassword(keyring: Keyring, secret: string | null): string | null {
  return secret === null ? null : decrypt(keyring, secretPlace(mailServerSetting), secret)
}

/** Undefined fields keep their value. Null removes a user name with its password, or the pin. */
export type MailServerChange = {
  host?: string | undefined
  port?: number | undefined
  security?: MailSecurity | undefined
  username?: string | null | undefined
  password?: string | undefined
  certificatePin?: string | null | undefined
}

type ChangeContext = Omit<MailServerContext, 'db'> & { db: Database }

/** Changes the mail server. A stored password is never used for another server: then it must be given again. */
export async function setMailServer(ctx: ChangeContext, actor: Actor, change: MailServerChange): Promise<void> {
  requireAllSites(actor)
  requireChangeable(ctx.fixedSettings, mailServerSetting)
  await ctx.db.transaction(async (tx) => {
    await lockSettings(tx)
    const before = await readStored(tx)
    const server = applyChange(before?.server, change)
    const secret = chooseSecret(ctx.keyring, before, server, change.password)
    await insertSetting(tx, mailServerSetting, server, { secret })
    const details = {
      ...(change.password !== undefined && { passwordReplaced: true }),
      ...(before && before.secret !== null && secret === null && { passwordErased: true }),
    }
    await recordChange(
      tx,
      actor,
      { ...entry, action: 'settings.mail_server_changed', details },
      difference(before, server),
    )
  })
}

/** Does nothing if there is none. */
export async function removeMailServer(ctx: ChangeContext, actor: Actor): Promise<void> {
  requireAllSites(actor)
  requireChangeable(ctx.fixedSettings, mailServerSetting)
  await ctx.db.transaction(async (tx) => {
    await lockSettings(tx)
    const before = await readStored(tx)
    if (!before) return
    await deleteSetting(tx, mailServerSetting)
    const { host, port } = before.server
    await recordAudit(tx, actor, { ...entry, action: 'settings.mail_server_removed', details: { host, port } })
  })
}

const entry = { targetKind: 'settings', targetId: mailServerSetting }

/** The server after a change. A field that no server has yet gets its usual value. */
export function applyChange(before: Stored['server'] | undefined, change: MailServerChange): Stored['server'] {
  const security = change.security ?? before?.security ?? 'starttls'
  const host = change.host === undefined ? before?.host : readMailHost(change.host)
  if (host === undefined) throw new DomainError(change.host === undefined ? 'mail_host_required' : 'mail_host_invalid')
  const { username = before?.username ?? null, certificatePin = before?.certificatePin ?? null } = change
  const port = change.port ?? before?.port ?? usualPorts[security]
  return { host, port, security, username, certificatePin: security === 'none' ? null : certificatePin }
}

function chooseSecret(
  keyring: Keyring,
  before: Stored | null,
  { username, ...server }: Stored['server'],
  password: string | undefined,
): string | null {
  if (password !== undefined && username === null) throw new DomainError('mail_username_required')
  if (username === null) return null
  if (server.security === 'none') throw new DomainError('mail_password_unencrypted')
  if (password !== undefined) return encrypt(keyring, secretPlace(mailServerSetting), password)
  if (!before || before.secret === null || !isSamePlace(before.server, { username, ...server }))
    throw new DomainError('mail_password_required')
  return before.secret
}

/** Whether a password that was entered for one server may be sent to the other one. */
export function isSamePlace(one: Stored['server'], other: Stored['server']): boolean {
  return (['host', 'port', 'security', 'certificatePin'] as const).every((field) => one[field] === other[field])
}

function difference(before: Stored | null, after: Stored['server']) {
  const none = { host: null, port: null, security: null, username: null, certificatePin: null }
  return changed<Record<keyof typeof none, unknown>>(before?.server ?? none, after)
}
