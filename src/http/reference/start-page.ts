import type { FastifyInstance } from 'fastify'
import { type Language, preferredLanguage } from '../server/preferred-language.ts'
import { registerPublicPage } from '../server/public-page.ts'
import { staticAnswerOnDemand } from '../server/static-answer.ts'
import type { WebApp } from '../web.ts'
import { html, htmlHeaders, trustedMarkup } from './html.ts'

/** The answer for programs. */
const facts = JSON.stringify({
  name: 'Voucher Service',
  api: '/api/v2',
  openapi: '/api/v2/openapi.json',
  reference: '/reference',
  health: '/healthz',
  readiness: '/readyz',
})

/**
 * GET / shows people the web app and tells programs the paths of the APIs. If the web app was not built, people get a page
 * that says how to build it.
 */
export function registerStartPage(app: FastifyInstance, web: WebApp | undefined): void {
  const answerFacts = staticAnswerOnDemand(() => facts, caching)
  const pages = { en: answerWithPage('en'), de: answerWithPage('de') }
  registerPublicPage(app, {
    url: '/',
    async render(request, reply) {
      const wantsPage = /\btext\/html\b/i.test(request.headers.accept ?? '')
      if (!wantsPage) return answerFacts(request, reply)
      if (web) return web.answerPage(request, reply)
      return pages[preferredLanguage(request.headers['accept-language'])](request, reply)
    },
  })
}

const caching = { 'cache-control': 'public, no-cache', vary: 'Accept, Accept-Language' }

function answerWithPage(language: Language) {
  const headers = { ...htmlHeaders(stylesheet), ...caching, 'content-language': language }
  return staticAnswerOnDemand(() => startPage(language), headers)
}

const texts = {
  en: {
    about: 'Guest Wi-Fi vouchers for all your UniFi sites.',
    build: 'The web app is not built yet. Run this in the folder of the service, then start the service again:',
    reference: ['API reference', 'Every operation, with its fields and an example request'],
    openapi: ['OpenAPI document', 'The same for programs and client generators'],
    health: ['Health', 'Whether this process runs'],
    readiness: ['Readiness', 'Whether this process accepts requests'],
  },
  de: {
    about: 'WLAN-Voucher für Gäste an allen Ihren UniFi-Standorten.',
    build: 'Die Web-App ist noch nicht gebaut. Führen Sie dies im Ordner des Dienstes aus und starten Sie ihn neu:',
    reference: ['API-Referenz', 'Jede Funktion mit ihren Feldern und einem Beispiel (auf Englisch)'],
    openapi: ['OpenAPI-Dokument', 'Dasselbe für Programme'],
    health: ['Zustand', 'Ob dieser Prozess läuft'],
    readiness: ['Bereitschaft', 'Ob dieser Prozess Anfragen annimmt'],
  },
} satisfies Record<Language, Record<string, string | string[]>>

function startPage(language: Language): string {
  const { about, build, reference, openapi, health, readiness } = texts[language]
  const links = { '/reference': reference, '/api/v2/openapi.json': openapi, '/healthz': health, '/readyz': readiness }
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Voucher Service</title>
<style>${trustedMarkup(stylesheet)}</style>
</head>
<body>
<main>
<h1>Voucher Service</h1>
<p>${about}</p>
<p>${build}<code>npm run build:web</code></p>
<ul>${Object.entries(links).map(
    ([path, [title, description]]) => html`
<li><a href="${path}"><b>${title}</b><span>${description}</span></a></li>`,
  )}
</ul>
</main>
</body>
</html>
`.markup
}

const stylesheet = `
:root { --text: #1b1f24; --muted: #57606a; --line: #d0d7de; --back: #ffffff; --link: #0550ae; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e9ed; --muted: #a2abb5; --line: #3b434c; --back: #14181d; --link: #79b8ff; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 36rem; margin: 0 auto; padding: clamp(1.5rem, 10vh, 6rem) 1rem 2rem; }
h1 { margin: 0; font-size: 1.7rem; }
p { margin: 0.3rem 0 1.5rem; color: var(--muted); }
ul { margin: 0; padding: 0; list-style: none; border-top: 1px solid var(--line); }
li { border-bottom: 1px solid var(--line); }
a { display: block; padding: 0.75rem 0; color: var(--link); text-decoration: none; }
a:hover b, a:focus-visible b { text-decoration: underline; }
code { display: block; margin-top: 0.5rem; padding: 0.5rem 0.75rem; border: 1px solid var(--line); border-radius: 0.4rem; color: var(--text); }
span { display: block; color: var(--muted); }
`
