import type { Difference } from './compare-answers.ts'

type Allowed = { applies(difference: Difference): boolean }

const statusIs = ({ at, tool, ours }: Difference, theirs: string, own: string) =>
  at === 'status' && String(tool).startsWith(theirs) && String(ours).startsWith(own)
const bodyOf = ({ request }: Difference) => String(request.body ?? '')
const named = ({ request }: Difference, ...titles: string[]) => titles.includes(request.title)

/** Differences that docs/api-v1.md documents, each with its words there. */
export const documented: (Allowed & { words: string })[] = [
  { words: 'Messages are for people, in German.', applies: ({ at }) => at === 'message' },
  { words: '`id` and `site_id` are the same number.', applies: ({ at }) => at === 'sites[].site_id' },
  {
    words: '{ "sites": [{ "id": 1, "site_id": 1, "name": "Hauptgebäude", "active": true }] }',
    applies: ({ at, ours }) => at === 'sites[].active' && ours === true,
  },
  {
    words: '- **Times** are ISO 8601 in UTC (`2026-11-14T22:46:00.000Z`), not local times.',
    applies: ({ at, tool, ours }) =>
      /^vouchers\[\]\.(created|expires)_at$/.test(at) && tool === 'local time' && ours === 'time in UTC',
  },
  {
    words: '**An unknown method** such as `FOO` is not valid HTTP for the parser. The answer is 400',
    applies: (difference) => difference.request.method === 'FOO' && statusIs(difference, '', '400'),
  },
  {
    words: 'on `/sites.php` and `/openapi.php` `Allow: GET`',
    applies: (difference) =>
      difference.request.path.startsWith('/api/openapi.php') && statusIs(difference, '200', '405'),
  },
  {
    words: 'An unknown path is answered with 404. The key is not checked.',
    applies: ({ request: { path }, ours, at }) =>
      !/^\/api\/(vouchers|sites|openapi)\.php(\?|$)/.test(path) &&
      path !== '/api//sites.php' &&
      (at === 'body' || String(ours).startsWith('404')),
  },
  {
    words: 'Other `Authorization` schemes are ignored.',
    applies: (difference) => named(difference, 'GET with Basic before Bearer'),
  },
  {
    words: 'Numbers and strings are converted. Booleans, lists and objects count as missing.',
    applies: (difference) =>
      /"(site_id|name|expire_minutes)":(true|[[{])/.test(bodyOf(difference)) &&
      (statusIs(difference, '201', '400') || difference.at === 'expire_minutes'),
  },
  {
    words: 'no control characters inside',
    applies: (difference) =>
      statusIs(difference, '201', '400') && String(difference.ours).includes('name enthält nicht druckbare Zeichen'),
  },
  {
    words: 'at most 244 characters',
    applies: (difference) =>
      statusIs(difference, '500', '400') && String(difference.ours).includes('name ist länger als 244 Zeichen'),
  },
  {
    words:
      "If a value is outside the documented range of the site's controller, the answer is 400 with the name of the field",
    applies: (difference) =>
      statusIs(difference, '500', '400') && /muss zwischen \d+ und \d+ liegen/.test(String(difference.ours)),
  },
  {
    words: '`Der Inhalt der Anfrage ist größer als 64 KiB`',
    applies: (difference) => statusIs(difference, '201', '413'),
  },
  {
    words: 'The `Content-Type` of a request is ignored.',
    applies: (difference) =>
      named(difference, 'POST as multipart/form-data; boundary=x') && statusIs(difference, '400', '201'),
  },
  {
    words: 'PHP also accepts a tab, and words behind the key.',
    applies: (difference) =>
      named(difference, 'GET with a tab behind Bearer', 'GET with a word behind the key') &&
      statusIs(difference, '200', '401'),
  },
  {
    words: '**A path with two slashes**, such as `/api//sites.php`, is unknown',
    applies: ({ request, ours }) => request.path === '/api//sites.php' && String(ours).startsWith('404'),
  },
  {
    words: 'PHP also reads `site_id[]`, `site.id`, `site id` and `site_id%00` as `site_id`',
    applies: (difference) =>
      /\?(site_id(\[|%5B|%00)|site[.+]id=|\+site_id)/.test(difference.request.path) &&
      statusIs(difference, '200', '400'),
  },
  {
    words: 'ignores the parameters behind the first 1,000.',
    applies: (difference) => /\?(a=1&){1000}/.test(difference.request.path) && statusIs(difference, '400', '200'),
  },
  {
    words: '**Names** of only spaces or invisible characters of any kind count as empty',
    applies: (difference) =>
      /"name":"\\u(00a0|3000|200b|feff)"/.test(bodyOf(difference)) && statusIs(difference, '201', '400'),
  },
  {
    words: 'A number as a name is written as in JSON; PHP writes `1.0E+25` and `INF`.',
    applies: (difference) => bodyOf(difference).includes('"name":1e400') && statusIs(difference, '201', '400'),
  },
  {
    words: '**Deep JSON**, with more than 512 levels, is read; for PHP it counts as empty.',
    applies: (difference) => bodyOf(difference).includes('['.repeat(600)) && statusIs(difference, '400', '201'),
  },
  {
    words: '**TRACE** gets 401 or 405 like other methods.',
    applies: ({ request, at, ours }) => request.method === 'TRACE' && (at === 'body' || String(ours).startsWith('401')),
  },
  {
    words: 'such characters at the ends are cut off',
    applies: ({ at }) => at === 'vouchers[]',
  },
]
