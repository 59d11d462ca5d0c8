import type { FastifyReply } from 'fastify'
import type { DomainError } from '#domain/errors.ts'
import type { SignInTest } from '#domain/single-sign-on/provider-sign-in.ts'
import { findAnswer } from '../errors/catalogue.ts'
import { fillPlaceholders } from '../errors/fill-placeholders.ts'
import { html, htmlHeaders, trustedMarkup } from '../reference/html.ts'
import type { Language } from '../server/preferred-language.ts'

/** Answers a test of the provider with a small page of its own: it opens in a new window, and must work when the app does not. */
export function answerTestPage(
  reply: FastifyReply,
  language: Language,
  provider: string,
  result: { tested: SignInTest } | { error: DomainError },
): FastifyReply {
  const t = texts[language]
  const lines = 'error' in result ? failure(language, provider, result.error) : success(language, result.tested)
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

function failure(language: Language, provider: string, { code, details }: DomainError) {
  const text = findAnswer(code)?.[language] ?? code
  return html`<p class="bad"><strong>${texts[language].failed}</strong> ${fillPlaceholders(text, { provider, ...details })}</p>`
}

function success(language: Language, tested: SignInTest) {
  const t = texts[language]
  const { rights } = tested
  const sites = rights && (rights.allSites ? t.allSites : `${t.sites} ${rights.siteIds.join(', ')}`)
  const outcome = tested.tooManyGroups
    ? t.tooMany
    : rights
      ? `${t.becomes} ${t.roles[rights.role]}, ${sites} (${rights.matched.join(', ')})`
      : t.none
  return html`<p class="good"><strong>${t.worked}</strong></p>
<dl>
<dt>${t.person}</dt><dd>${tested.name}${tested.email === undefined ? '' : `, ${tested.email}`} (${tested.isKnown ? t.known : t.unknown})</dd>
<dt>${t.outcome}</dt><dd>${outcome}</dd>
</dl>
<h2>${t.lists}</h2>
<table>
<thead><tr><th>${t.claim}</th><th>${t.values}</th></tr></thead>
<tbody>${Object.entries(tested.lists).map(
    ([claim, values]) =>
      html`<tr><td><code>${claim}</code>${claim === tested.claim ? ` (${t.mapped})` : ''}</td><td>${values.join(', ')}</td></tr>`,
  )}</tbody>
</table>`
}

const texts = {
  en: {
    title: 'Test sign-in',
    worked: 'The sign-in works. Nothing was changed.',
    failed: 'The sign-in does not work.',
    person: 'Person',
    known: 'linked to a person here',
    unknown: 'not linked to a person here',
    outcome: 'Rights from groups',
    becomes: 'Would become:',
    none: 'None of the groups has a role here.',
    tooMany: 'The provider did not send the groups, because there are too many.',
    allSites: 'all sites',
    sites: 'sites',
    lists: 'Lists that the provider sent',
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
    person: 'Person',
    known: 'hier mit einer Person verknüpft',
    unknown: 'hier mit keiner Person verknüpft',
    outcome: 'Rechte aus Gruppen',
    becomes: 'Würde:',
    none: 'Keine der Gruppen hat hier eine Rolle.',
    tooMany: 'Der Anbieter hat die Gruppen nicht gesendet, weil es zu viele sind.',
    allSites: 'alle Standorte',
    sites: 'Standorte',
    lists: 'Listen, die der Anbieter gesendet hat',
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
.bad { border-left: 4px solid #c92a2a; padding-left: .75rem; }
`
