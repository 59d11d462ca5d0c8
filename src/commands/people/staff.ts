import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Role, roles } from '#domain/actor.ts'
import {
  addPerson,
  createPasswordLink,
  type PasswordLink,
  type PersonChange,
  setPerson,
} from '#domain/people/administer-staff.ts'
import { resetSecondFactors } from '#domain/people/factor-changes.ts'
import { linkPerson, unlinkPerson } from '#domain/people/link-identity.ts'
import { listStaffPage } from '#domain/people/managed-staff.queries.ts'
import { removePerson } from '#domain/people/remove-person.ts'
import type { Language, Person } from '#domain/people/staff.queries.ts'
import { isSubject } from '#domain/single-sign-on/claims.ts'
import { allowPasswords } from '#domain/single-sign-on/sign-in-settings.ts'
import type { Config } from '../../config.ts'
import { withDatabase } from '../connections.ts'
import { collectSites } from '../terminal/arguments.ts'
import { type IssuingOptions, toIssuing, withIssuingOptions } from '../terminal/issuing-options.ts'
import { print } from '../terminal/output.ts'
import { CommandRefused, requireChange } from '../terminal/refusals.ts'
import { commandActor, type Terminal } from '../terminal/terminal.ts'

type AddOptions = IssuingOptions & {
  name: string
  email: string
  role: Role
  site?: number[]
  allSites?: true
  language?: Language
}
type SetOptions = IssuingOptions & {
  name?: string
  email?: string
  role?: Role
  site?: number[]
  allSites?: true
  active?: boolean
  rightsFromGroups?: boolean
  language?: Language
}

export function registerStaff(staff: Command, terminal: Terminal): void {
  withIssuingOptions(staff.command('add'))
    .description('add a person and print a link, valid for a week, with which the person sets a password')
    .requiredOption('--name <name>', 'name of the person; vouchers and notifications show it')
    .requiredOption('--email <address>', 'e-mail address to sign in with')
    .addOption(roleOption().makeOptionMandatory())
    .option('--site <id>', 'let the person use this site; repeat the option for more', collectSites)
    .addOption(allSitesOption())
    .addOption(languageOption())
    .action(async ({ site, allSites, language, ...options }: AddOptions) => {
      if (options.role !== 'admin' && !allSites && !site)
        throw new CommandRefused(
          'Say which sites the person may use: --site <id>, which you can repeat, or --all-sites.',
        )
      const request = {
        ...options,
        siteIds: allSites ? undefined : site,
        language: language ?? null,
        ...toIssuing(options),
      }
      await withDatabase(terminal, async (db, config) => {
        const { person, link } = await addPerson(db, commandActor(), request)
        print(terminal, { ...shown(person), ...shownLink(config, link) })
      })
    })

  staff
    .command('list')
    .description('list all people, and when they were last seen')
    .action(async () => {
      const people = await withDatabase(terminal, (db) => listStaffPage(db, null, { limit: null }))
      print(
        terminal,
        people.map(({ lastSeenAt, ...person }) => ({ ...shown(person), lastSeenAt })),
      )
    })

  withIssuingOptions(staff.command('set'))
    .description('change a person; the change takes effect at once in every process')
    .argument('<email>', 'e-mail address of the person, see `staff list`')
    .option('--name <name>', 'name of the person')
    .option('--email <address>', 'new e-mail address to sign in with; the password stays valid, an open link does not')
    .addOption(roleOption())
    .option('--site <id>', 'let the person use only this site; repeat the option for more', collectSites)
    .addOption(allSitesOption())
    .option('--active', 'let the person sign in again')
    .option('--no-active', 'sign the person out everywhere and reject every sign-in')
    .option(
      '--rights-from-groups',
      "let each sign-in with the provider replace role and sites with those of the person's groups",
    )
    .option('--no-rights-from-groups', 'let administrators decide role and sites again')
    .addOption(languageOption())
    .action(async (email: string, { site, allSites, ...options }: SetOptions) => {
      const change: PersonChange = { ...options, siteIds: allSites ? 'all' : site, ...toIssuing(options) }
      requireChange(change, 'staff set')
      const person = await withDatabase(terminal, (db) => setPerson(db, commandActor(), { email }, change))
      print(terminal, shown(person))
      if (person.credentialsEnded)
        terminal.stderr.write(
          `${person.email} can no longer sign in, because a manager had access to the account and the person has more rights now. Create a new link with \`voucher-service staff reset-password ${person.email}\`.\n`,
        )
      else if (person.linkEnded)
        terminal.stderr.write(
          `The open link of this person no longer works, because the old address may have it. Create a new one with \`voucher-service staff reset-password ${person.email}\`.\n`,
        )
    })

  staff
    .command('reset-password')
    .description('print a link, valid for a day, with which a person sets a new password')
    .argument('<email>', 'e-mail address of the person, see `staff list`')
    .action(async (email: string) =>
      withDatabase(terminal, async (db, config) => {
        const { person, link } = await createPasswordLink(db, commandActor(), { email })
        print(terminal, { name: person.name, email: person.email, ...shownLink(config, link) })
      }),
    )

  staff
    .command('reset-second-factor')
    .description(
      'remove the authenticator app, the recovery codes and the passkeys of a person, and sign the person out everywhere',
    )
    .argument('<email>', 'e-mail address of the person, see `staff list`')
    .action(async (email: string) =>
      print(terminal, await withDatabase(terminal, (db) => resetSecondFactors(db, commandActor(), { email }))),
    )

  staff
    .command('link')
    .description('link an account of the provider to a person, who can then sign in with it')
    .argument('<email>', 'e-mail address of the person, see `staff list`')
    .requiredOption('--issuer <address>', 'address of the provider, as in OIDC_ISSUER', issuer)
    .requiredOption('--subject <subject>', "the provider's own name for the account: the claim `sub`", subject)
    .action(async (email: string, account: { issuer: string; subject: string }) => {
      const person = await withDatabase(terminal, (db) => linkPerson(db, commandActor(), { email }, account))
      print(terminal, { ...shown(person), ...account })
    })

  staff
    .command('unlink')
    .description(
      'unlink the account of the provider from a person, who is signed out everywhere and keeps role and sites',
    )
    .argument('<email>', 'e-mail address of the person, see `staff list`')
    .action(async (email: string) => {
      await withDatabase(terminal, (db) => unlinkPerson({ db }, commandActor(), { email }))
      print(terminal, { email, identity: null })
    })

  staff
    .command('allow-passwords')
    .description('switch sign-in with a password on again, if an administrator switched it off')
    .action(async () => {
      const changed = await withDatabase(terminal, (db) => allowPasswords(db, commandActor()))
      print(terminal, { passwordSignIn: true, changed })
    })

  staff
    .command('remove')
    .description('remove a person and sign the person out everywhere; vouchers and the audit keep showing the name')
    .argument('<email>', 'e-mail address of the person, see `staff list`')
    .action(async (email: string) =>
      print(terminal, shown(await withDatabase(terminal, (db) => removePerson(db, commandActor(), { email })))),
    )
}

const roleOption = () => new Option('--role <role>', 'each role includes those before it').choices(roles)
const allSitesOption = () =>
  new Option('--all-sites', 'let the person use all sites, including later ones').conflicts('site')
const languageOption = () => new Option('--language <language>', 'language of the web app').choices(['de', 'en'])

function issuer(value: string): string {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value))
    throw new InvalidArgumentError('Use the address of the provider, such as https://login.example.com.')
  return value
}

function subject(value: string): string {
  if (!isSubject(value)) throw new InvalidArgumentError('Use 1 to 255 printable characters.')
  return value
}

function shown({ name, email, role, allSites, siteIds, active, language, vouchersPerDay, longestMinutes }: Person) {
  const limits = { vouchersPerDay, longestMinutes }
  return { name, email, role, siteIds: allSites ? 'all' : siteIds, active, language, ...limits }
}

/** The token follows the #. Browsers do not send that part, so no server log contains it. */
function shownLink({ publicUrl, port }: Config, { token, expiresAt }: PasswordLink) {
  return { link: `${publicUrl ?? `http://localhost:${port}`}/password#${token}`, validUntil: expiresAt }
}
