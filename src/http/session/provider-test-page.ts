import type { FastifyReply } from 'fastify'
import type { DomainError, ErrorCode } from '#domain/errors.ts'
import type { SignInTest } from '#domain/single-sign-on/provider-sign-in.ts'
import { findAnswer } from '../errors/catalogue.ts'
import { fillPlaceholders } from '../errors/fill-placeholders.ts'
import { html, htmlHeaders, trustedMarkup } from '../reference/html.ts'
import type { Language } from '../server/preferred-language.ts'
import { rejectionReason } from './rejection-reason.ts'

type Success = { tested: SignInTest; siteNames: string[] }

/** Answers a test of the provider with a small page of its own: it opens in a new window, and must work when the app does not. */
export function answerTestPage(
  reply: FastifyReply,
  language: Language,
  provider: string,
  result: Success | { error: DomainError },
): FastifyReply {
  const t = texts[language]
  const lines = 'error' in result ? failure(language, provider, result.error) : success(language, provider, result)
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${t.title}: ${provider}</title>
<style>${trustedMarkup(stylesheet)}</style>
</head>
<body>
<main>
<h1>${t.title}: ${provider}</h1>
${lines}
<p>${t.close}</p>
</main>
</body>
</html>
`
  return reply.headers({ ...htmlHeaders(stylesheet), 'content-language': language }).send(page.markup)
}

function failure(language: Language, provider: string, { code, details, cause }: DomainError) {
  const t = texts[language]
  const text = messageOf(language, code)
  const reason = rejectionReason(cause)
  return html`<p class="bad"><strong>${t.failed}</strong> ${fillPlaceholders(text, { provider, ...details })}</p>
${reason ? html`<p>${t.reason} <code lang="en">${reason}</code></p>` : undefined}`
}

/** Some messages of the catalogue tell people to sign in otherwise. Administrators read what to correct. */
function messageOf(language: Language, code: ErrorCode): string {
  const { messages } = texts[language]
  return messages[code as keyof typeof messages] ?? findAnswer(code)?.[language] ?? code
}

function success(language: Language, provider: string, { tested, siteNames }: Success) {
  const t = texts[language]
  const fill = (text: string) => fillPlaceholders(text, { provider, claim: tested.claim })
  const { problem, rights, name, email, isKnown } = tested
  const sites = rights && (rights.allSites ? t.allSites : siteNames.join(', '))
  const source = rights && (rights.matched.length > 0 ? rights.matched.join(', ') : t.own)
  const lists = Object.entries(tested.lists)
  return html`${
    problem === null
      ? html`<p class="good"><strong>${t.worked}</strong></p>`
      : html`<p class="warn"><strong>${fill(t.rejected)}</strong> ${fill(problemText(language, problem, tested))}</p>`
  }
<dl>
<dt>${t.person}</dt><dd>${name}${email === undefined ? '' : `, ${email}`} (${isKnown ? t.known : t.unknown})</dd>
<dt>${t.rights}</dt><dd>${rights ? `${t.roles[rights.role]}, ${sites} (${source})` : t.none}</dd>
</dl>
<h2>${t.lists}</h2>
${lists.length === 0 ? html`<p>${fill(t.noLists)}</p>` : listTable(language, tested.claim, lists)}`
}

function problemText(language: Language, problem: ErrorCode, { claim, lists }: SignInTest): string {
  const t = texts[language]
  if (problem !== 'provider_groups_missing') return messageOf(language, problem)
  if (Object.keys(lists).length === 0) return ''
  return claim in lists ? t.addGroup : t.otherClaim
}

function listTable(language: Language, mapped: string, lists: [claim: string, values: string[]][]) {
  const t = texts[language]
  return html`<table>
<thead><tr><th>${t.claim}</th><th>${t.values}</th></tr></thead>
<tbody>${lists.map(
    ([claim, values]) =>
      html`<tr><td><code>${claim}</code>${claim === mapped ? ` (${t.mapped})` : ''}</td><td>${values.join(', ')}</td></tr>`,
  )}</tbody>
</table>`
}

const texts = {
  en: {
    title: 'Test sign-in',
    worked: 'The sign-in works. Nothing was changed.',
    failed: 'The sign-in does not work.',
    reason: 'Reason:',
    messages: {
      provider_unreachable:
        '{provider} does not answer. Check that the service can reach its address and trusts its certificate.',
      provider_answer_invalid:
        'The answer of {provider} is not valid. Often the client secret is wrong or has expired.',
      provider_email_taken:
        'Somebody here has this e-mail address already. That person signs in with the password and links the account of {provider} under “My account”.',
      provider_person_inactive: 'The person is deactivated here. Activate the person in the settings under “Staff”.',
    },
    rejected: '{provider} works, but this person could not sign in yet.',
    addGroup: 'Add one of the groups below to the table in the settings.',
    otherClaim:
      'The claim {claim} did not arrive. Choose another claim in the settings, or let {provider} send this one.',
    person: 'Person',
    known: 'linked to a person here',
    unknown: 'not linked to a person here',
    rights: 'Rights',
    own: 'not from groups',
    none: 'No group of this person has a role here.',
    allSites: 'all sites',
    lists: 'Lists that the provider sent',
    noLists:
      '{provider} sent no groups. Let it send them: in Keycloak, add a mapper to the client; in Entra ID, add a groups claim. The page docs/sign-in.md describes the steps.',
    claim: 'Claim',
    values: 'Values',
    mapped: 'used for groups',
    close: 'You can close this window.',
    roles: { desk: 'Desk', manager: 'Manager', admin: 'Administrator' },
  },
  de: {
    title: 'Anmeldung testen',
    worked: 'Die Anmeldung funktioniert. Es wurde nichts geändert.',
    failed: 'Die Anmeldung funktioniert nicht.',
    reason: 'Grund:',
    messages: {
      provider_unreachable:
        '{provider} antwortet nicht. Prüfen Sie, ob der Dienst die Adresse erreicht und dem Zertifikat vertraut.',
      provider_answer_invalid:
        'Die Antwort von {provider} ist nicht gültig. Oft ist das Client Secret falsch oder abgelaufen.',
      provider_email_taken:
        'Jemand hat hier schon diese E-Mail-Adresse. Diese Person meldet sich mit dem Passwort an und verknüpft das Konto von {provider} unter „Mein Konto“.',
      provider_person_inactive:
        'Die Person ist hier deaktiviert. Aktivieren Sie sie in den Einstellungen unter „Personen“.',
    },
    rejected: '{provider} funktioniert, aber diese Person könnte sich noch nicht anmelden.',
    addGroup: 'Nehmen Sie eine der Gruppen unten in die Tabelle in den Einstellungen auf.',
    otherClaim:
      'Der Claim {claim} ist nicht angekommen. Wählen Sie in den Einstellungen einen anderen Claim, oder lassen Sie {provider} diesen senden.',
    person: 'Person',
    known: 'hier mit einer Person verknüpft',
    unknown: 'hier mit keiner Person verknüpft',
    rights: 'Rechte',
    own: 'nicht aus Gruppen',
    none: 'Keine Gruppe dieser Person hat hier eine Rolle.',
    allSites: 'alle Standorte',
    lists: 'Listen, die der Anbieter gesendet hat',
    noLists:
      '{provider} hat keine Gruppen gesendet. Richten Sie das dort ein: in Keycloak mit einem Mapper für den Client, in Entra ID mit einem Groups Claim. Die Seite docs/sign-in.md beschreibt die Schritte.',
    claim: 'Claim',
    values: 'Werte',
    mapped: 'für Gruppen benutzt',
    close: 'Sie können dieses Fenster schließen.',
    roles: { desk: 'Empfang', manager: 'Verwaltung', admin: 'Administrator' },
  },
} satisfies Record<Language, object>

const stylesheet = `
:root { font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; }
main { max-width: 44rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { font-size: 1.4rem; }
h2 { font-size: 1.1rem; }
dt { font-weight: 600; margin-top: .5rem; }
dd { margin: 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid #8885; overflow-wrap: anywhere; }
.good { border-left: 4px solid #2b8a3e; padding-left: .75rem; }
.warn { border-left: 4px solid #e67700; padding-left: .75rem; }
.bad { border-left: 4px solid #c92a2a; padding-left: .75rem; }
`
