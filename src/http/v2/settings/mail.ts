import { type Static, Type } from 'typebox'
import { requireAllSites } from '#domain/actor.ts'
import { type MailCheckCause, ownMailCauses } from '#domain/mail-server/check-mail-server.ts'
import { readMailSenders, setMailSender } from '#domain/mail-server/mail-senders.ts'
import { readMailServer, removeMailServer, setMailServer } from '#domain/mail-server/mail-server.ts'
import { testMailServer as checkMailServer } from '#domain/mailing/test-mail-server.ts'
import { findStaffMember } from '#domain/people/managed-staff.queries.ts'
import { variableOf } from '#domain/settings/house.ts'
import { formatFingerprint } from '#lib/fingerprint.ts'
import { type MailLine, mailLines } from '#mail/check-mail-server.ts'
import { type MailSecurity, type MailSender, mailCauses, mailSecurities } from '#mail/mail.ts'
import { invalidRequest } from '../../errors/field-errors.ts'
import { describeMailCause } from '../../errors/mail-causes.ts'
import { readPin } from '../controllers/controllers.ts'
import {
  certificateFields,
  certificateToWire,
  changeBody,
  countOrNull,
  siteNumber,
  textOrNull,
  variableField,
} from '../kit/fields.ts'
import { operation, type V2Context } from '../kit/operation.ts'
import { readSiteNumber, siteParams } from '../sites/sites.ts'

const security = Type.Unsafe<MailSecurity>({
  type: 'string',
  enum: [...mailSecurities],
  description:
    '`starttls`: required, never only tried. `tls`: from the start. `none`: only for private addresses, and never with a password.',
})

const serverFields = {
  host: Type.String({ minLength: 1, maxLength: 253, examples: ['smtp.provider.example'] }),
  port: Type.Integer({ minimum: 1, maximum: 65_535, description: 'By default 587, 465 for `tls`, and 25 for `none`.' }),
  security,
  username: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    minLength: 1,
    maxLength: 254,
    pattern: '^[^\\u0000-\\u001f\\u007f]*$',
    description: 'Null: the server asks for no sign-in.',
  }),
  password: Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: '^[^\\u0000]*$',
    description: 'The password at the mail server. No answer contains it.',
  }),
  certificate_pin: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    examples: ['AB:CD:…'],
    description:
      'SHA-256 of the only certificate that is accepted. Null: a certificate authority must have signed the certificate for this host.',
  }),
}

const serverChange = {
  host: Type.Optional(serverFields.host),
  port: Type.Optional(serverFields.port),
  security: Type.Optional(serverFields.security),
  username: Type.Optional(serverFields.username),
  password: Type.Optional(serverFields.password),
  certificate_pin: Type.Optional(serverFields.certificate_pin),
}

const senderSchema = Type.Object(
  {
    name: Type.String({ maxLength: 200, examples: ['Hotel Goldener Adler'] }),
    address: Type.String({ minLength: 3, maxLength: 254, examples: ['wlan@goldener-adler.example'] }),
    reply_to: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: 254,
      description: 'Where answers of guests go. Null: to `address`.',
    }),
  },
  { title: 'MailSender', additionalProperties: false },
)

const serverSchema = Type.Object(
  {
    host: serverFields.host,
    port: serverFields.port,
    security: serverFields.security,
    username: serverFields.username,
    password_set: Type.Boolean({ description: 'Whether a password is stored.' }),
    certificate_pin: serverFields.certificate_pin,
  },
  { title: 'MailServer' },
)

const settingsSchema = Type.Object(
  {
    server: Type.Union([serverSchema, Type.Null()], {
      description: 'The mail server. Null: the service sends no e-mail.',
    }),
    sender: Type.Union([senderSchema, Type.Null()], {
      description: 'The sender of all sites that are not in `senders`. Null: nobody has set it.',
    }),
    senders: Type.Array(Type.Object({ site_id: siteNumber, site: Type.String(), sender: senderSchema }), {
      description: 'Sites with a sender of their own, by name.',
    }),
    set_by: Type.Object(
      { server: variableField('MAIL_SERVER'), sender: variableField('MAIL_FROM') },
      { description: 'The variables of the environment that set values.' },
    ),
  },
  { title: 'MailSettings' },
)

const keyNote = 'An API key needs the right to all sites.'
/** Only people change the mail server itself: it gets the links with which people set their passwords. */
const common = { scope: 'manage', role: 'admin' } as const
const fixed = 'A variable of the environment sets the value.'

export const getMailSettings = operation({
  ...common,
  method: 'GET',
  path: '/settings/mail',
  operationId: 'getMailSettings',
  summary: `Get the mail server and the senders. ${keyNote}`,
  status: 200,
  answer: settingsSchema,
  async handle(ctx, { actor }) {
    requireAllSites(actor)
    return readAnswer(ctx)
  },
})

export const updateMailServer = operation({
  role: 'admin',
  method: 'PATCH',
  path: '/settings/mail',
  operationId: 'updateMailServer',
  summary:
    'Set up or change the mail server. The stored password is never used for another host, port, encryption or certificate: send it again',
  recentSignIn: true,
  status: 200,
  conflict: fixed,
  body: changeBody(serverChange, {
    title: 'MailServerChange',
    examples: [{ host: 'smtp.provider.example', username: 'voucher@provider.example', password: 'correct horse' }],
  }),
  answer: settingsSchema,
  async handle(ctx, { actor, body }) {
    await setMailServer(ctx, actor, readChange(body))
    return readAnswer(ctx)
  },
})

export const deleteMailServer = operation({
  role: 'admin',
  method: 'DELETE',
  path: '/settings/mail',
  operationId: 'deleteMailServer',
  summary: 'Remove the mail server with its password. The senders stay',
  recentSignIn: true,
  status: 204,
  conflict: fixed,
  answer: Type.Void(),
  handle: (ctx, { actor }) => removeMailServer(ctx, actor),
})

export const updateMailSender = operation({
  ...common,
  method: 'PUT',
  path: '/settings/mail/sender',
  operationId: 'updateMailSender',
  summary: `Set the sender of all sites without a sender of their own. ${keyNote}`,
  status: 200,
  conflict: fixed,
  body: senderSchema,
  answer: settingsSchema,
  async handle(ctx, { actor, body }) {
    await setMailSender(ctx, actor, null, readSender(body))
    return readAnswer(ctx)
  },
})

export const deleteMailSender = operation({
  ...common,
  method: 'DELETE',
  path: '/settings/mail/sender',
  operationId: 'deleteMailSender',
  summary: `Remove the sender of all sites without a sender of their own. ${keyNote}`,
  status: 204,
  conflict: fixed,
  answer: Type.Void(),
  handle: (ctx, { actor }) => setMailSender(ctx, actor, null, null),
})

export const updateSiteMailSender = operation({
  ...common,
  method: 'PUT',
  path: '/settings/mail/senders/{id}',
  operationId: 'updateSiteMailSender',
  summary: `Set the sender of a site. ${keyNote}`,
  status: 200,
  params: siteParams,
  body: senderSchema,
  answer: settingsSchema,
  async handle(ctx, { actor, params, body }) {
    await setMailSender(ctx, actor, readSiteNumber(params.id), readSender(body))
    return readAnswer(ctx)
  },
})

export const deleteSiteMailSender = operation({
  ...common,
  method: 'DELETE',
  path: '/settings/mail/senders/{id}',
  operationId: 'deleteSiteMailSender',
  summary: `Use the sender of all other sites for a site again. ${keyNote}`,
  status: 204,
  params: siteParams,
  answer: Type.Void(),
  handle: (ctx, { actor, params }) => setMailSender(ctx, actor, readSiteNumber(params.id), null),
})

const lineSchema = Type.Object(
  {
    line: Type.Unsafe<MailLine>({ type: 'string', enum: [...mailLines] }),
    result: Type.Unsafe<'ok' | 'failed' | 'skipped'>({
      type: 'string',
      enum: ['ok', 'failed', 'skipped'],
      description: '`skipped`: the line was not tried, because an earlier one failed or something is missing.',
    }),
    duration_ms: { ...countOrNull, description: 'Null if the line was not tried.' },
    cause: Type.Unsafe<MailCheckCause | null>({
      type: ['string', 'null'],
      enum: [...mailCauses, ...ownMailCauses, null],
      description: 'Why the line failed or was skipped. New values may be added.',
    }),
    message: { ...textOrNull, description: 'The cause and what to do, in the language of the request.' },
    answer: {
      ...textOrNull,
      description:
        'The answer of the mail server in its own words. Addresses and the password in it are replaced by `***`.',
    },
  },
  { title: 'CheckedMailLine' },
)

const certificateSchema = Type.Object(certificateFields, { title: 'MailCertificate' })

export const testMailServer = operation({
  ...common,
  method: 'POST',
  path: '/settings/mail/test',
  operationId: 'testMailServer',
  summary: `Test the mail server line by line: name, connection, encryption, sign-in, test message. Fields of the body replace what is stored. ${keyNote}`,
  status: 200,
  conflict: 'There is no mail server, or a variable of the environment sets it.',
  tooMany: 'the person or key has sent too many test messages',
  body: Type.Object(
    {
      ...serverChange,
      to: Type.Optional(
        Type.String({
          minLength: 3,
          maxLength: 254,
          description:
            'The address that gets the test message. Default: that of the signed-in person. An API key must give one.',
        }),
      ),
    },
    { additionalProperties: false, title: 'MailServerToTest', examples: [{ to: 'k.vogt@provider.example' }] },
  ),
  answer: Type.Object(
    {
      ok: Type.Boolean({
        description: 'Whether the mail server has accepted the test message. It may not have arrived yet.',
      }),
      host: Type.String(),
      port: Type.Integer(),
      to: Type.String({ description: 'The address of the test message.' }),
      lines: Type.Array(lineSchema, { description: 'The lines, in the order in which they were tried.' }),
      addresses: Type.Array(Type.String(), { description: 'The IP addresses of the host.' }),
      protocol: { ...textOrNull, description: 'The version of TLS. Null: the connection was not encrypted.' },
      certificate: Type.Union([certificateSchema, Type.Null()], {
        description: 'The certificate that the mail server shows. Null: none was read.',
      }),
    },
    { title: 'MailServerTest' },
  ),
  async handle(ctx, { actor, body: { to: given, ...body }, language }) {
    const to = given ?? (actor.kind === 'staff' ? (await findStaffMember(ctx.db, actor.id, null))?.email : undefined)
    if (to === undefined) throw invalidRequest({ field: 'to', code: 'required' })
    const checked = await checkMailServer(ctx, actor, { server: readChange(body), to, language })
    const { lines, addresses, protocol, certificate, server } = checked
    const { host, port } = server
    return {
      ok: lines.every(({ result }) => result === 'ok'),
      host,
      port,
      to,
      lines: lines.map(({ line, result, durationMs, cause, answer }) => ({
        line,
        result,
        duration_ms: durationMs,
        cause,
        message: cause && describeMailCause(cause, { host, port }, language),
        answer,
      })),
      addresses,
      protocol,
      certificate: certificate && certificateToWire(certificate),
    }
  },
})

type ServerBody = {
  host?: string
  port?: number
  security?: MailSecurity
  username?: string | null
  password?: string
  certificate_pin?: string | null
}

function readChange({ certificate_pin, ...body }: ServerBody) {
  const pin = readPin(certificate_pin)
  return { ...body, certificatePin: pin && formatFingerprint(pin) }
}

function readSender({ name, address, reply_to: replyTo }: Static<typeof senderSchema>): MailSender {
  return { name, address, replyTo }
}

function senderToWire({ name, address, replyTo }: MailSender): Static<typeof senderSchema> {
  return { name, address, reply_to: replyTo }
}

async function readAnswer(ctx: Pick<V2Context, 'db' | 'fixedSettings'>): Promise<Static<typeof settingsSchema>> {
  const [server, { ofOtherSites, ofSites }] = await Promise.all([readMailServer(ctx), readMailSenders(ctx)])
  return {
    server: server && {
      host: server.host,
      port: server.port,
      security: server.security,
      username: server.username,
      password_set: server.passwordSet,
      certificate_pin: server.certificatePin,
    },
    sender: ofOtherSites && senderToWire(ofOtherSites),
    senders: ofSites.map(({ siteId, site, ...sender }) => ({ site_id: siteId, site, sender: senderToWire(sender) })),
    set_by: {
      server: variableOf(ctx.fixedSettings, 'mail_server'),
      sender: variableOf(ctx.fixedSettings, 'mail_from'),
    },
  }
}
