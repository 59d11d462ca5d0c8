import { v7 as uuidv7 } from 'uuid'
import { beforeEach, describe, expect, test } from 'vitest'
import { setLogo } from '#domain/sites/logo.ts'
import { startApp } from '#test/app.ts'
import { png } from '#test/data/images.ts'
import {
  seedBatch,
  seedControlledSite,
  seedController,
  seedKey,
  seedPerson,
  seedSite,
  seedTemplate,
  seedVoucher,
  seedWebhook,
  testActor,
} from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import type { Operation } from './kit/operation.ts'
import { operations } from './register-v2.ts'

const app = await startApp()
beforeEach(async () => {
  await app.db.query('delete from rate_limits') // a fast machine sends more than 600 requests a minute
  await app.db.query('update staff_sessions set authenticated_at = now()') // a slow machine needs more than 15 minutes
})
const site = await seedControlledSite(app.db, await startSimulator())
const other = await seedSite(app.db)
const voucher = `${site}-${await seedVoucher(app.db, site)}`
/** Its slip is not drawn, because tests of the fast lane start no processes. */
const endedVoucher = `${site}-${await seedVoucher(app.db, site, { code: '1111100000', expiresAt: new Date(0) })}`
const batch = `${site}-${await seedBatch(app.db, site)}`
const guests = { guests: [{ site_id: site, name: 'Gast' }] }
const sender = { name: 'Wi-Fi', address: 'wlan@x.example', reply_to: null }
const nobody = '00000000-0000-7000-8000-000000000000'
const past = new Date(Date.now() - 1000)

const keyOf = async (request: Parameters<typeof seedKey>[1]) => ({ key: (await seedKey(app.db, request)).key })
const personOf = async (person: Parameters<typeof seedPerson>[1]) => ({
  session: (await seedPerson(app.db, person)).session,
})

const callers = {
  nobody: {},
  'a read key': await keyOf({}),
  'a write key': await keyOf({ scope: 'write' }),
  'a manage key': await keyOf({ scope: 'manage' }),
  'a read key for this site': await keyOf({ siteIds: [site] }),
  'a write key for this site': await keyOf({ scope: 'write', siteIds: [site] }),
  'a manage key for this site': await keyOf({ scope: 'manage', siteIds: [site] }),
  'a read key for another site': await keyOf({ siteIds: [other] }),
  'a write key for another site': await keyOf({ scope: 'write', siteIds: [other] }),
  'a manage key for another site': await keyOf({ scope: 'manage', siteIds: [other] }),
  'an expired key': await keyOf({ scope: 'write', expiresAt: past }),
  'a revoked key': await revokedKey(),
  'the desk of this site': await personOf({ siteIds: [site] }),
  'the desk of another site': await personOf({ siteIds: [other] }),
  'a manager of this site': await personOf({ role: 'manager', siteIds: [site] }),
  'a manager of another site': await personOf({ role: 'manager', siteIds: [other] }),
  'a manager of all sites': await personOf({ role: 'manager' }),
  'an administrator': await personOf({ role: 'admin' }),
  'a person who signed out': await signedOut(),
} satisfies Record<string, { key?: string; session?: string }>

type CallerName = keyof typeof callers
type Statuses = Record<CallerName, number>

/** The operations that people may call before they have set up the second factor that their role needs. */
const openWithoutFactor = [
  'getMe',
  'deleteSession',
  'checkSignInAgain',
  'createSignInAgainOptions',
  'getMySecondFactors',
  'createAuthenticatorApp',
  'checkAuthenticatorApp',
  'enableAuthenticatorApp',
  'createPasskeyOptions',
  'createPasskey',
]

/** The operations that change passwords, factors, keys or people, or how people sign in. */
const needRecentSignIn = [
  'updateMyPassword',
  'createAuthenticatorApp',
  'checkAuthenticatorApp',
  'enableAuthenticatorApp',
  'deleteAuthenticatorApp',
  'createRecoveryCodes',
  'createPasskeyOptions',
  'createPasskey',
  'updatePasskey',
  'deletePasskey',
  'createPerson',
  'updatePerson',
  'createPasswordLink',
  'deletePersonSecondFactors',
  'updateSecondFactorSettings',
  'createKey',
  'updateKey',
  'revokeKey',
  'rollKey',
  'deleteMyIdentity',
  'deletePersonIdentity',
  'updateSignInSettings',
  'updateSignInGroups',
  'updateGuestDataSettings',
  'updateSiteGuestData',
  'deleteSiteGuestData',
  'updateMailServer',
  'deleteMailServer',
  'eraseGuests',
]

const barred = { nobody: 401, 'an expired key': 401, 'a revoked key': 401, 'a person who signed out': 401 }

/** `elsewhere` is the status for a key or a person of another site. */
const reading = (elsewhere: number, here = 200): Statuses => ({
  ...barred,
  'a read key': here,
  'a write key': here,
  'a manage key': here,
  'a read key for this site': here,
  'a write key for this site': here,
  'a manage key for this site': here,
  'a read key for another site': elsewhere,
  'a write key for another site': elsewhere,
  'a manage key for another site': elsewhere,
  'the desk of this site': here,
  'the desk of another site': elsewhere,
  'a manager of this site': here,
  'a manager of another site': elsewhere,
  'a manager of all sites': here,
  'an administrator': here,
})
const writing = (status: number): Statuses => ({
  ...reading(404, status),
  'a read key': 403,
  'a read key for this site': 403,
  'a read key for another site': 403,
})
/**
 * `here` and `elsewhere` are the statuses for a key or a manager of this site and of another site, `managerOfAll` the one for
 * a manager of all sites.
 */
const managing = (status: number, here: number, elsewhere: number, managerOfAll = status): Statuses => ({
  ...writing(403),
  'a write key for another site': 403,
  'a manage key': status,
  'a manage key for this site': here,
  'a manage key for another site': elsewhere,
  'the desk of another site': 403,
  'a manager of this site': here,
  'a manager of another site': elsewhere,
  'a manager of all sites': managerOfAll,
  'an administrator': status,
})
/** Keys with the scope manage, and administrators only. */
const administering = (status: number, here: number, elsewhere: number): Statuses => ({
  ...managing(status, here, elsewhere, 403),
  'a manager of this site': 403,
  'a manager of another site': 403,
})
/** People only, and their own things. */
const personal = (status: number): Statuses => ({
  ...barred,
  'a read key': 403,
  'a write key': 403,
  'a manage key': 403,
  'a read key for this site': 403,
  'a write key for this site': 403,
  'a manage key for this site': 403,
  'a read key for another site': 403,
  'a write key for another site': 403,
  'a manage key for another site': 403,
  'the desk of this site': status,
  'the desk of another site': status,
  'a manager of this site': status,
  'a manager of another site': status,
  'a manager of all sites': status,
  'an administrator': status,
})
/** Administrators only. */
const ofAdministrators = (status: number): Statuses => ({ ...personal(403), 'an administrator': status })
/** People who manage staff, or see the overview. `elsewhere` is the status for a manager of another site. */
const managingStaff = (status: number, here: number, elsewhere: number, managerOfAll = status): Statuses => ({
  ...personal(status),
  'the desk of this site': 403,
  'the desk of another site': 403,
  'a manager of this site': here,
  'a manager of another site': elsewhere,
  'a manager of all sites': managerOfAll,
})
const everybody = (status: number) => Object.fromEntries(Object.keys(callers).map((name) => [name, status])) as Statuses

const revocation = await revocationOfThisSite()
const stay = await voucherOnTheController()
await setLogo(app.db, testActor, site, png)

const { id: controller, name: controllerName } = await controllerOfThisSite()
const newController = async () => `/controllers/${await seedController(app.db)}`
const newTemplate = (siteId: number | null) => async () => `/templates/${await seedTemplate(app.db, siteId)}`
const newPerson =
  (person: Parameters<typeof seedPerson>[1], path = '') =>
  async () =>
    `/staff/${(await seedPerson(app.db, person)).id}${path}`
const newWebhook =
  (siteIds?: number[], act = '') =>
  async () =>
    `/webhooks/${await seedOnlyWebhook(siteIds)}${act}`
/** Removes the earlier webhooks, because a site can have 20. */
async function seedOnlyWebhook(siteIds: number[] | undefined): Promise<string> {
  await app.db.query('delete from webhooks')
  return seedWebhook(app.db, { siteIds })
}
const newKey = async () => `/keys/${(await seedKey(app.db)).id}`
const sink = 'http://127.0.0.1:9/hook'
/** Everything that needs the right to change a webhook: all of its sites, or the right to all sites. */
const usingWebhook = (act: string, status: number, body?: object): Case[] =>
  [
    { siteIds: undefined, statuses: managing(status, 404, 404, 403) },
    { siteIds: [site], statuses: managing(status, status, 404) },
    { siteIds: [site, other], statuses: managing(status, 404, 404) },
  ].map(({ siteIds, statuses }) => ({ path: newWebhook(siteIds, act), statuses, ...(body && { body }) }))

/** The headers that a page of the web app sends. A public operation requires them too. */
const fromOwnPage = { origin: app.url, 'content-type': 'application/json' }

/** A passkey that no browser made. */
const attestation = {
  id: 'dGVzdA',
  rawId: 'dGVzdA',
  type: 'public-key',
  response: { clientDataJSON: 'dGVzdA', attestationObject: 'dGVzdA' },
}

type Case = {
  path: string | (() => Promise<string>)
  /** The request ends the session of the caller, so each person gets another one first. */
  signsIn?: true
  body?: object | Buffer | (() => object | Buffer)
  headers?: Record<string, string>
  statuses: Statuses
}

const expected: Record<string, Case[]> = {
  getSession: [{ path: '/session', statuses: everybody(200) }],
  // The request has no password, because checking one takes 0.2 s.
  createSession: [
    { path: '/session', body: { email: 'a@example.com' }, headers: fromOwnPage, statuses: everybody(400) },
  ],
  deleteSession: [{ path: '/session', signsIn: true, statuses: personal(204) }],
  updateSession: [{ path: '/session', body: { sign_out_after_minutes: 30 }, statuses: managingStaff(204, 204, 204) }],
  checkSecondFactor: [
    { path: '/session/second-factor', body: { code: '482917' }, headers: fromOwnPage, statuses: everybody(401) },
  ],
  createSecondFactorOptions: [
    { path: '/session/second-factor/passkey-options', headers: fromOwnPage, statuses: everybody(401) },
  ],
  // The people of this test have no factor, so a code does not prove anything.
  checkSignInAgain: [{ path: '/session/again', body: { code: '482917' }, statuses: personal(403) }],
  createSignInAgainOptions: [{ path: '/session/again/options', statuses: personal(200) }],
  checkSetupToken: [{ path: '/setup/check', body: { token: 'x' }, headers: fromOwnPage, statuses: everybody(409) }],
  createFirstAdministrator: [
    {
      path: '/setup',
      body: { token: 'x', name: 'A', email: 'a@example.com', password: 'x', language: 'de' },
      headers: fromOwnPage,
      statuses: everybody(409),
    },
  ],
  updatePasswordByLink: [
    {
      path: '/password-links',
      body: { token: 'x', new_password: 'four random words' },
      headers: fromOwnPage,
      statuses: everybody(403),
    },
  ],
  // There is no mail server.
  createPasswordLinkByEmail: [
    {
      path: '/password-links/by-email',
      body: { email: 'anna@example.com' },
      headers: fromOwnPage,
      statuses: everybody(409),
    },
  ],
  getMe: [{ path: '/me', statuses: reading(200) }],
  updateMe: [{ path: '/me', body: { theme: 'dark' }, statuses: personal(200) }],
  updateMyPassword: [
    {
      path: '/me/password',
      body: { new_password: 'four random words' },
      statuses: personal(400),
    },
  ],
  listMySessions: [{ path: '/me/sessions', statuses: personal(200) }],
  deleteMySessions: [{ path: '/me/sessions', signsIn: true, statuses: personal(204) }],
  deleteMySession: [{ path: `/me/sessions/${nobody}`, statuses: personal(404) }],
  getMySecondFactors: [{ path: '/me/second-factors', statuses: personal(200) }],
  createAuthenticatorApp: [{ path: '/me/authenticator-app', statuses: personal(201) }],
  checkAuthenticatorApp: [{ path: '/me/authenticator-app/check', body: { code: 'x' }, statuses: personal(400) }],
  enableAuthenticatorApp: [{ path: '/me/authenticator-app/activate', statuses: personal(409) }],
  deleteAuthenticatorApp: [{ path: '/me/authenticator-app', statuses: personal(404) }],
  createRecoveryCodes: [{ path: '/me/recovery-codes', statuses: personal(409) }],
  createPasskeyOptions: [{ path: '/me/passkeys/options', statuses: personal(200) }],
  createPasskey: [{ path: '/me/passkeys', body: { name: 'Key', response: attestation }, statuses: personal(403) }],
  updatePasskey: [{ path: `/me/passkeys/${nobody}`, body: { name: 'Key' }, statuses: personal(404) }],
  deletePasskey: [{ path: `/me/passkeys/${nobody}`, statuses: personal(404) }],
  deleteMyIdentity: [{ path: '/me/identity', statuses: personal(409) }],
  listStaff: [
    { path: '/staff', statuses: managingStaff(200, 200, 200) },
    { path: `/staff?site_id=${site}`, statuses: managingStaff(200, 200, 404) },
  ],
  createPerson: [
    { path: '/staff', body: invitation({ role: 'desk', site_ids: [site] }), statuses: managingStaff(201, 201, 404) },
    {
      path: '/staff',
      body: invitation({ role: 'desk', site_ids: [site, other] }),
      statuses: managingStaff(201, 404, 404),
    },
    { path: '/staff', body: invitation({ role: 'desk', all_sites: true }), statuses: managingStaff(201, 403, 403) },
    {
      path: '/staff',
      body: invitation({ role: 'manager', site_ids: [site] }),
      statuses: managingStaff(201, 403, 403, 403),
    },
    { path: '/staff', body: invitation({ role: 'admin' }), statuses: managingStaff(201, 403, 403, 403) },
  ],
  getPerson: people('', 200),
  updatePerson: [
    ...people('', 200, { name: 'Eva' }),
    ...people('', 200, { active: false }),
    ...[{ site_ids: [site, other] }, { role: 'manager' }].map((body) => ({
      path: newPerson({ siteIds: [site] }),
      body,
      statuses: 'role' in body ? managingStaff(200, 403, 404, 403) : managingStaff(200, 404, 404),
    })),
    { path: newPerson({ siteIds: [site] }), body: { all_sites: true }, statuses: managingStaff(200, 403, 404) },
  ],
  createPasswordLink: people('/password-link', 201),
  deletePersonSessions: people('/sessions', 204),
  deletePersonSecondFactors: people('/second-factors', 204),
  deletePersonIdentity: [{ path: newPerson({ siteIds: [site] }, '/identity'), statuses: ofAdministrators(409) }],
  getOverview: [
    { path: '/overview', statuses: managingStaff(200, 200, 200) },
    { path: `/overview?site_id=${site}`, statuses: managingStaff(200, 200, 404) },
  ],
  exportOverview: [
    { path: '/overview.csv?by=maker', statuses: managingStaff(200, 200, 200) },
    { path: `/overview.csv?site_id=${site}`, statuses: managingStaff(200, 200, 404) },
  ],
  getHold: [{ path: '/hold', statuses: managing(200, 200, 200) }],
  getAppearance: [{ path: '/settings/appearance', statuses: ofAdministrators(200) }],
  updateAppearance: [
    { path: '/settings/appearance', body: { name: 'Hotel Adler' }, statuses: ofAdministrators(200) },
    { path: '/settings/appearance', body: { accent_color: 'red' }, statuses: ofAdministrators(400) },
  ],
  getAccentColors: [
    { path: '/settings/appearance/accent-colors?accent_color=%23ffee00', statuses: ofAdministrators(200) },
  ],
  updateHouseLogo: [
    {
      path: '/settings/appearance/logo',
      body: png,
      headers: { 'content-type': 'image/png' },
      statuses: ofAdministrators(204),
    },
  ],
  deleteHouseLogo: [{ path: '/settings/appearance/logo', statuses: ofAdministrators(204) }],
  getSecondFactorSettings: [{ path: '/settings/second-factor', statuses: ofAdministrators(200) }],
  updateSecondFactorSettings: [
    { path: '/settings/second-factor', body: { required: [] }, statuses: ofAdministrators(200) },
    { path: '/settings/second-factor', body: { required: ['admin'] }, statuses: ofAdministrators(409) },
  ],
  getSignInSettings: [{ path: '/settings/sign-in', statuses: ofAdministrators(200) }],
  updateSignInSettings: [
    { path: '/settings/sign-in', body: { password_sign_in: true }, statuses: ofAdministrators(200) },
    { path: '/settings/sign-in', body: { password_sign_in: false }, statuses: ofAdministrators(409) },
  ],
  updateSignInGroups: [
    { path: '/settings/sign-in/groups', body: { claim: 'groups', groups: [] }, statuses: ofAdministrators(200) },
  ],
  checkSignInGroups: [
    { path: '/settings/sign-in/dry-run', body: { claim: 'groups', groups: [] }, statuses: ofAdministrators(200) },
  ],
  getGuestDataSettings: [{ path: '/settings/guest-data', statuses: administering(200, 403, 403) }],
  updateGuestDataSettings: [
    { path: '/settings/guest-data', body: { unused_after_days: 400 }, statuses: administering(200, 403, 403) },
  ],
  updateSiteGuestData: [
    {
      path: `/settings/guest-data/sites/${site}`,
      body: { forget_after_days: 400 },
      statuses: administering(200, 403, 403),
    },
  ],
  deleteSiteGuestData: [
    { path: `/settings/guest-data/sites/${site}`, statuses: administering(204, 403, 403) },
    { path: '/settings/guest-data/sites/999999', statuses: administering(404, 403, 403) },
  ],
  checkGuestData: [
    { path: '/settings/guest-data/preview', body: { forget_after_days: 30 }, statuses: administering(200, 403, 403) },
  ],
  getMailSettings: [{ path: '/settings/mail', statuses: administering(200, 403, 403) }],
  updateMailServer: [{ path: '/settings/mail', body: { host: '127.0.0.1', port: 9 }, statuses: ofAdministrators(200) }],
  deleteMailServer: [{ path: '/settings/mail', statuses: ofAdministrators(204) }],
  updateMailSender: [{ path: '/settings/mail/sender', body: sender, statuses: administering(200, 403, 403) }],
  deleteMailSender: [{ path: '/settings/mail/sender', statuses: administering(204, 403, 403) }],
  updateSiteMailSender: [
    { path: `/settings/mail/senders/${site}`, body: sender, statuses: administering(200, 403, 403) },
    { path: '/settings/mail/senders/999999', body: sender, statuses: administering(404, 403, 403) },
  ],
  deleteSiteMailSender: [
    { path: `/settings/mail/senders/${site}`, statuses: administering(204, 403, 403) },
    { path: '/settings/mail/senders/999999', statuses: administering(404, 403, 403) },
  ],
  testMailServer: [
    { path: '/settings/mail/test', body: { to: 'k.vogt@x.example' }, statuses: administering(409, 403, 403) },
  ],
  searchGuests: [{ path: '/guests/search', body: { query: 'Huber' }, statuses: administering(200, 200, 200) }],
  listStoredGuestData: [{ path: '/guests/stored', body: guests, statuses: administering(200, 200, 404) }],
  exportGuests: [{ path: '/guests/export', body: guests, statuses: administering(200, 200, 404) }],
  // A voucher of the guest is valid.
  eraseGuests: [
    {
      path: '/guests/erase',
      body: { ...guests, reason: 'other', valid: 'refuse' },
      statuses: administering(409, 409, 404),
    },
  ],
  listErasures: [{ path: '/erasures', statuses: administering(200, 200, 200) }],
  listSites: [{ path: '/sites', statuses: reading(200) }],
  getSite: [{ path: `/sites/${site}`, statuses: reading(404) }],
  createSite: [
    {
      path: '/sites',
      body: () => ({ name: 'Neu', controller_id: controller, controller_site: uuidv7(), unchecked: true }),
      statuses: administering(201, 403, 403),
    },
    { path: '/sites', body: { name: 'Neu', controller_id: nobody }, statuses: administering(404, 403, 403) },
  ],
  importSites: [
    {
      path: '/sites/import',
      body: () => Buffer.from(`name,controller,controller_site\nNeu,${controllerName},${uuidv7()}\n`),
      headers: { 'content-type': 'text/csv' },
      statuses: administering(200, 403, 403),
    },
    {
      path: '/sites/import',
      body: Buffer.from('name,controller,controller_site\nNeu,nowhere,default\n'),
      headers: { 'content-type': 'text/csv' },
      statuses: administering(409, 403, 403),
    },
  ],
  checkSiteImport: [
    {
      path: '/sites/import/check',
      body: Buffer.from('name,controller,controller_site\nNeu,nowhere,default\n'),
      headers: { 'content-type': 'text/csv' },
      statuses: administering(200, 403, 403),
    },
  ],
  updateSite: [{ path: `/sites/${site}`, body: { name: 'Haus' }, statuses: administering(200, 200, 404) }],
  deleteSite: [
    { path: async () => `/sites/${await seedSite(app.db)}`, statuses: administering(204, 404, 404) },
    { path: `/sites/${site}`, statuses: administering(409, 409, 404) },
  ],
  getSiteSettings: [{ path: `/sites/${site}/settings`, statuses: managing(200, 200, 404) }],
  getSiteEffects: [{ path: `/sites/${site}/effects`, statuses: ofAdministrators(200) }],
  syncSite: [{ path: `/sites/${site}/sync`, statuses: managing(202, 202, 404) }],
  getIssuing: [{ path: `/sites/${site}/issuing`, statuses: reading(404) }],
  getGuestInfo: [{ path: `/sites/${site}/guest-info`, statuses: reading(404) }],
  updateGuestInfo: [
    { path: `/sites/${site}/guest-info`, body: { wifi_name: 'Gäste' }, statuses: managing(200, 200, 404) },
  ],
  checkSlip: [
    {
      path: `/sites/${site}/slip/preview`,
      body: { paper: '80mm', slip_lines: ['name'] },
      statuses: managing(400, 400, 404),
    },
  ],
  getLogo: [{ path: `/sites/${site}/logo`, statuses: reading(404) }],
  updateLogo: [
    {
      path: `/sites/${site}/logo`,
      body: png,
      headers: { 'content-type': 'image/png' },
      statuses: managing(204, 204, 404),
    },
  ],
  deleteLogo: [{ path: siteWithLogo, statuses: managing(204, 404, 404) }],
  listControllers: [{ path: '/controllers', statuses: administering(200, 403, 403) }],
  createController: [
    {
      path: '/controllers',
      body: () => ({ name: uuidv7(), driver: 'unifi-integration', address: 'https://10.0.0.1', secret: 'x' }),
      statuses: administering(201, 403, 403),
    },
  ],
  checkController: [
    {
      path: '/controllers/check',
      body: { driver: 'unifi-integration', address: 'https://169.254.1.1' },
      statuses: administering(200, 403, 403),
    },
  ],
  getController: [{ path: `/controllers/${controller}`, statuses: administering(200, 403, 403) }],
  updateController: [
    { path: newController, body: { address: 'https://10.0.0.2' }, statuses: administering(200, 403, 403) },
  ],
  deleteController: [
    { path: newController, statuses: administering(204, 403, 403) },
    { path: `/controllers/${controller}`, statuses: administering(409, 403, 403) },
  ],
  listControllerSites: [{ path: `/controllers/${controller}/sites`, statuses: administering(200, 403, 403) }],
  createControllerSites: [
    { path: `/controllers/${controller}/sites`, body: {}, statuses: administering(201, 403, 403) },
    {
      path: `/controllers/${controller}/sites`,
      body: { controller_sites: ['nowhere'] },
      statuses: administering(400, 403, 403),
    },
  ],
  listTemplates: [
    { path: '/templates', statuses: reading(200) },
    { path: `/templates?site_id=${site}`, statuses: reading(404) },
  ],
  createTemplate: [
    {
      path: '/templates',
      body: () => ({ name: uuidv7(), expire_minutes: 60 }),
      statuses: managing(201, 403, 403, 403),
    },
    {
      path: '/templates',
      body: () => ({ name: uuidv7(), expire_minutes: 60, site_id: site }),
      statuses: managing(201, 201, 404),
    },
  ],
  updateTemplate: [
    { path: newTemplate(null), body: { max_uses: 3 }, statuses: managing(200, 403, 403, 403) },
    { path: newTemplate(site), body: { max_uses: 3 }, statuses: managing(200, 200, 404) },
  ],
  deleteTemplate: [
    { path: newTemplate(null), statuses: managing(204, 403, 403, 403) },
    { path: newTemplate(site), statuses: managing(204, 204, 404) },
  ],
  listWebhooks: [{ path: '/webhooks', statuses: managing(200, 200, 200) }],
  createWebhook: [
    { path: '/webhooks', body: { url: sink }, statuses: managing(201, 403, 403, 403) },
    { path: '/webhooks', body: { url: sink, site_ids: [site] }, statuses: managing(201, 201, 404) },
    { path: '/webhooks', body: { url: sink, site_ids: [site, other] }, statuses: managing(201, 404, 404) },
  ],
  getWebhook: [
    { path: newWebhook(), statuses: managing(200, 404, 404) },
    { path: newWebhook([site]), statuses: managing(200, 200, 404) },
    { path: newWebhook([site, other]), statuses: managing(200, 404, 404) },
  ],
  updateWebhook: [
    { path: newWebhook(), body: { language: 'en' }, statuses: managing(200, 404, 404, 403) },
    { path: newWebhook([site]), body: { language: 'en' }, statuses: managing(200, 200, 404) },
    { path: newWebhook([site, other]), body: { language: 'en' }, statuses: managing(200, 404, 404) },
    { path: newWebhook([site]), body: { site_ids: [site, other] }, statuses: managing(200, 404, 404) },
    { path: newWebhook([site]), body: { site_ids: null }, statuses: managing(200, 403, 403, 403) },
  ],
  deleteWebhook: [
    { path: newWebhook(), statuses: managing(204, 404, 404, 403) },
    { path: newWebhook([site]), statuses: managing(204, 204, 404) },
    { path: newWebhook([site, other]), statuses: managing(204, 404, 404) },
  ],
  testWebhook: usingWebhook('/test', 200),
  enableWebhook: usingWebhook('/enable', 200),
  rotateWebhookSecret: usingWebhook('/rotate-secret', 200),
  listDeliveries: [
    { path: newWebhook(undefined, '/deliveries'), statuses: managing(200, 404, 404) },
    { path: newWebhook([site], '/deliveries'), statuses: managing(200, 200, 404) },
    { path: newWebhook([site, other], '/deliveries?state=failed'), statuses: managing(200, 404, 404) },
  ],
  replayDeliveries: [
    ...usingWebhook('/replay', 202, { failed_since: past.toISOString() }),
    { path: newWebhook([site], '/replay'), body: { delivery_id: nobody }, statuses: managing(404, 404, 404) },
  ],
  listKeys: [{ path: '/keys', statuses: ofAdministrators(200) }],
  createKey: [
    { path: '/keys', body: { name: 'Check-in', scope: 'read' }, statuses: ofAdministrators(201) },
    { path: '/keys', body: { name: 'n8n', scope: 'manage' }, statuses: ofAdministrators(400) },
  ],
  getKey: [
    { path: newKey, statuses: ofAdministrators(200) },
    { path: `/keys/${nobody}`, statuses: ofAdministrators(404) },
  ],
  updateKey: [
    { path: newKey, body: { requests_per_minute: 60 }, statuses: ofAdministrators(200) },
    { path: `/keys/${nobody}`, body: { name: 'Neu' }, statuses: ofAdministrators(404) },
  ],
  revokeKey: [
    { path: newKey, statuses: ofAdministrators(204) },
    { path: `/keys/${nobody}`, statuses: ofAdministrators(404) },
  ],
  rollKey: [
    {
      path: async () => `${await newKey()}/roll`,
      body: { prefix: 'vsk_00000000', old_valid_until: null },
      statuses: ofAdministrators(409),
    },
    {
      path: `/keys/${nobody}/roll`,
      body: { prefix: 'vsk_00000000', old_valid_until: null },
      statuses: ofAdministrators(404),
    },
  ],
  listVouchers: [
    { path: '/vouchers', statuses: reading(200) },
    { path: `/vouchers?site_id=${site}`, statuses: reading(404) },
    { path: `/vouchers?batch_id=${batch}`, statuses: reading(404) },
  ],
  exportVouchers: [
    { path: '/vouchers.csv', statuses: reading(200) },
    { path: `/vouchers.csv?site_id=${site}`, statuses: reading(404) },
  ],
  createVoucher: [
    { path: '/vouchers', body: { site_id: site, name: 'Gast' }, statuses: writing(201) },
    { path: '/vouchers', body: { site_id: site, name: 'Gast', template_id: nobody }, statuses: writing(400) },
  ],
  getVoucherOutcome: [
    { path: '/vouchers/outcome', headers: { 'idempotency-key': 'k' }, statuses: reading(200) },
    { path: '/vouchers/outcome', statuses: reading(400, 400) },
  ],
  lookUpCode: [
    { path: `/vouchers/lookup?site_id=${site}&code=48614-09510`, statuses: reading(404) },
    { path: `/vouchers/lookup?site_id=${site}&code=48614-09510&fresh=true`, statuses: reading(404) },
    { path: '/vouchers/lookup?code=48614-09510', statuses: reading(200) },
  ],
  lookUpName: [{ path: `/vouchers/by-name?site_id=${site}&name=Gast`, statuses: reading(404) }],
  getVoucher: [{ path: `/vouchers/${voucher}`, statuses: reading(404) }],
  getSlip: [{ path: `/vouchers/${endedVoucher}/slip.pdf`, statuses: reading(404, 409) }],
  getSlipPicture: [{ path: `/vouchers/${endedVoucher}/slip.png`, statuses: reading(404, 409) }],
  getVoucherHistory: [{ path: `/vouchers/${voucher}/history`, statuses: reading(404) }],
  createMessage: [{ path: `/vouchers/${voucher}/messages`, body: { email: 'gast@x.example' }, statuses: writing(409) }],
  listVoucherMessages: [{ path: `/vouchers/${voucher}/messages`, statuses: reading(404) }],
  getVoucherEnds: [{ path: `/vouchers/${voucher}/ends`, statuses: reading(404) }],
  updateVoucher: [
    { path: `/vouchers/${stay}`, body: { name: 'Neu' }, statuses: writing(200) },
    { path: `/vouchers/${voucher}`, body: { name: 'Neu' }, statuses: writing(409) },
  ],
  revokeVoucher: [{ path: `/vouchers/${voucher}`, statuses: writing(202) }],
  listBatches: [
    { path: '/batches', statuses: reading(200) },
    { path: `/batches?site_id=${site}`, statuses: reading(404) },
  ],
  createBatch: [{ path: '/batches', body: { site_id: site, name: 'Gast', count: 2 }, statuses: writing(202) }],
  getBatch: [{ path: `/batches/${batch}`, statuses: reading(404) }],
  listBatchRows: [{ path: `/batches/${batch}/rows`, statuses: reading(404) }],
  exportBatch: [{ path: `/batches/${batch}/vouchers.csv`, statuses: reading(404) }],
  getBatchSlips: [{ path: `/batches/${batch}/slips.pdf`, statuses: reading(404, 409) }],
  cancelBatch: [{ path: `/batches/${batch}/cancel`, statuses: writing(202) }],
  retryBatch: [{ path: `/batches/${batch}/retry`, statuses: writing(202) }],
  revokeVouchers: [{ path: '/revocations', body: { voucher_ids: [voucher] }, statuses: writing(202) }],
  listRevocations: [{ path: '/revocations', statuses: reading(200) }],
  getRevocation: [{ path: `/revocations/${revocation}`, statuses: reading(404) }],
  listRevocationRows: [{ path: `/revocations/${revocation}/rows`, statuses: reading(404) }],
  listAudit: [{ path: '/audit', statuses: ofAdministrators(200) }],
  exportAudit: [{ path: '/audit/export', statuses: ofAdministrators(200) }],
}

/** The same request for people of the desk of one, two and all sites, for a manager and for an administrator. */
function people(path: string, status: number, body?: object): Case[] {
  const all: [Parameters<typeof seedPerson>[1], Statuses][] = [
    [{ siteIds: [site] }, managingStaff(status, status, 404)],
    [{ siteIds: [site, other] }, managingStaff(status, 404, 404)],
    [{}, managingStaff(status, 404, 404)],
    [{ role: 'manager', siteIds: [site] }, managingStaff(status, 404, 404, 404)],
    [{ role: 'admin' }, managingStaff(status, 404, 404, 404)],
  ]
  return all.map(([person, statuses]) => ({ path: newPerson(person, path), ...(body && { body }), statuses }))
}

function invitation(rights: object): () => object {
  return () => ({ name: 'Eva', email: `${uuidv7()}@example.com`, ...rights })
}

test('every operation is here', () => {
  expect(Object.keys(expected)).toEqual(operations.map(({ operationId }) => operationId))
})

describe.each(operations)('$operationId', ({ operationId, method, isPublic }) => {
  const cases = expected[operationId] ?? []

  const send = async ({ path, body, headers }: Case, caller: { key?: string; session?: string }) => {
    const options = {
      method,
      ...(headers && { headers }),
      ...(body && { body: toBody(typeof body === 'function' ? body() : body) }),
      ...caller,
    }
    const url = typeof path === 'function' ? await path() : path
    return app.call(`/api/v2${url}`, options)
  }

  test.each(cases)('case %$: the status for each caller', async (each) => {
    const { signsIn, statuses } = each
    const answered: Partial<Statuses> = {}
    for (const who of Object.keys(callers) as CallerName[])
      answered[who] = (await send(each, signsIn && statuses[who] === 204 ? await personOf({}) : callers[who])).status

    expect(answered).toEqual(statuses)
  })

  test.each(cases)('case %$: the answer before a required second factor is set up', async (each) => {
    const answer = await send(each, await administratorWith('must_set_up_factor = true'))

    if (isPublic || openWithoutFactor.includes(operationId))
      expect(answer.status).toBe(each.statuses['an administrator'])
    else expect([answer.status, answer.json().error]).toEqual([403, 'second_factor_missing'])
  })

  test('the answer to somebody who signed in 16 minutes ago', async () => {
    const [each] = cases as [Case]
    const answer = await send(each, await administratorWith(`authenticated_at = now() - interval '16 minutes'`))

    if (needRecentSignIn.includes(operationId))
      expect([answer.status, answer.json().error]).toEqual([403, 'sign_in_again'])
    else expect(answer.status).toBe(each.statuses['an administrator'])
  })
})

test.each([...Map.groupBy(operations, ({ path }) => path)])(
  '%s: 405 for every other method; 401 without a key or a session, unless the path is public',
  async (template, atPath) => {
    const [{ operationId }] = atPath as [Operation]
    const path = expected[operationId]?.[0]?.path
    const url = `/api/v2${typeof path === 'function' ? await path() : path}`
    const allowed = atPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']
    const isOpen = template === '/session' || atPath.some(({ isPublic }) => isPublic)
    for (const method of methods.filter((each) => !allowed.includes(each))) {
      const answer = await app.call(url, { method, ...callers['an administrator'] })
      expect([answer.status, answer.headers.allow]).toEqual([405, allowed.join(', ')])
      expect((await app.call(url, { method })).status).toBe(isOpen ? 405 : 401)
    }
  },
)

test('an item that the key may not see is answered exactly like one that does not exist', async () => {
  const { key } = callers['a manage key for another site']
  const hidden = await newWebhook([site])()
  const pairs = [
    [hidden, `/webhooks/${nobody}`],
    [`${hidden}/deliveries`, `/webhooks/${nobody}/deliveries`],
    [`/sites/${site}/settings`, '/sites/999999/settings'],
    [`/sites/${site}/guest-info`, '/sites/999999/guest-info'],
    [`/sites/${site}/logo`, '/sites/999999/logo'],
    [`/sites/${site}`, '/sites/999999'],
    [`/templates?site_id=${site}`, '/templates?site_id=999999'],
    [`/vouchers?site_id=${site}`, '/vouchers?site_id=999999'],
    [`/vouchers.csv?site_id=${site}`, '/vouchers.csv?site_id=999999'],
    [`/vouchers/${voucher}`, `/vouchers/${other}-${nobody}`],
    [`/vouchers/${voucher}/history`, `/vouchers/${other}-${nobody}/history`],
    [`/vouchers/${voucher}/ends`, `/vouchers/${other}-${nobody}/ends`],
    [`/revocations/${revocation}`, `/revocations/${nobody}`],
    [`/revocations/${revocation}/rows`, `/revocations/${nobody}/rows`],
    [`/vouchers/lookup?code=4861409510&site_id=${site}`, '/vouchers/lookup?code=4861409510&site_id=999999'],
    [`/vouchers?batch_id=${batch}`, `/vouchers?batch_id=999999-${nobody}`],
    [`/batches?site_id=${site}`, '/batches?site_id=999999'],
    [`/batches/${batch}`, `/batches/${other}-${nobody}`],
    [`/batches/${batch}/rows`, `/batches/${other}-${nobody}/rows`],
    [`/batches/${batch}/vouchers.csv`, `/batches/${other}-${nobody}/vouchers.csv`],
  ]
  for (const paths of pairs) {
    const answers = await Promise.all(paths.map((path) => app.call(`/api/v2${path}`, { key })))
    const [hiddenOne, missing] = answers.map(({ status, headers, json }) => {
      const { request_id: _, ...body } = json()
      return { status, body, names: Object.keys(headers).toSorted() }
    })
    expect(hiddenOne).toEqual(missing)
    expect(hiddenOne?.status).toBe(404)
  }
})

test('a list of all sites contains only the sites of the key', async () => {
  const idsFor = async (who: CallerName) =>
    (await app.call('/api/v2/vouchers', callers[who])).json().vouchers.map(({ id }: any) => id)

  expect(await idsFor('a read key for this site')).toContain(voucher)
  expect(await idsFor('a read key for another site')).toEqual([])
})

function toBody(body: object | Buffer): string | Buffer {
  return Buffer.isBuffer(body) ? body : JSON.stringify(body)
}

async function revocationOfThisSite(): Promise<string> {
  const url = `/api/v2/vouchers/${voucher}`
  return (await app.call(url, { method: 'DELETE', ...callers['a write key'] })).json().id
}

async function voucherOnTheController(): Promise<string> {
  const body = JSON.stringify({ site_id: site, name: 'Gast' })
  return (await app.call('/api/v2/vouchers', { method: 'POST', ...callers['a write key'], body })).json().id
}

async function siteWithLogo(): Promise<string> {
  const id = await seedSite(app.db)
  await setLogo(app.db, testActor, id, png)
  return `/sites/${id}/logo`
}

async function controllerOfThisSite(): Promise<{ id: string; name: string }> {
  const { rows } = await app.db.query<{ id: string; name: string }>(
    'select c.id, c.name from sites s join controllers c on c.id = s.controller_id where s.id = $1',
    [site],
  )
  return rows[0] as { id: string; name: string }
}

async function revokedKey(): Promise<{ key: string }> {
  const { id, key } = await seedKey(app.db, { scope: 'write' })
  await app.db.query('update api_keys set revoked_at = now() where id = $1', [id])
  return { key }
}

/** An administrator whose session has these values. */
async function administratorWith(values: string): Promise<{ session: string }> {
  const { id, session } = await seedPerson(app.db, { role: 'admin' })
  await app.db.query(`update staff_sessions set ${values} where staff_id = $1`, [id])
  return { session }
}

async function signedOut(): Promise<{ session: string }> {
  const { id, session } = await seedPerson(app.db, { role: 'admin' })
  await app.db.query('delete from staff_sessions where staff_id = $1', [id])
  return { session }
}

test('the answer for a person whom a manager may not manage is the same as for one who does not exist', async () => {
  const hidden = await seedPerson(app.db, { siteIds: [other] })
  const requests = [
    { method: 'GET' },
    { method: 'PATCH', body: '{"name":"Eva"}' },
    { method: 'POST', path: '/password-link' },
    { method: 'DELETE', path: '/sessions' },
    { method: 'DELETE', path: '/second-factors' },
  ]
  for (const { path = '', ...request } of requests) {
    const ask = async (id: string) => {
      const answer = await app.call(`/api/v2/staff/${id}${path}`, { ...request, ...callers['a manager of this site'] })
      const { request_id: _, ...body } = answer.json()
      return { status: answer.status, body, names: Object.keys(answer.headers).toSorted() }
    }
    expect(await ask(hidden.id)).toEqual(await ask(nobody))
    expect((await ask(hidden.id)).status).toBe(404)
  }
})
