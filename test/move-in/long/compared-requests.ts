/** The API keys that both servers have, by what is special about them. `limited` may send three requests a minute. */
export type KeyName = 'write' | 'read' | 'inactive' | 'limited'

export type ComparedRequest = {
  title: string
  method: string
  path: string
  headers: Record<string, string>
  body?: string | Buffer
  /** The rows of a list have different seconds, so their order is compared too. */
  isOrdered?: true
}

/** The same sites on both servers. */
export const siteIds = { main: 1, lobby: 2, inactive: 3, archive: 4, unreachable: 5, wrongPassword: 6 }

/** The requests that are sent to both servers, one after the other. */
export function comparedRequests(keys: Record<KeyName, string>): ComparedRequest[] {
  const withKey = (name: KeyName) => ({ authorization: `Bearer ${keys[name]}` })
  const list = (query: string, headers: Record<string, string> = withKey('read')): ComparedRequest => ({
    title: `GET /vouchers.php?${query}`,
    method: 'GET',
    path: `/api/vouchers.php?${query}`,
    headers,
  })
  const create = (body: unknown, headers: Record<string, string> = withKey('write')): ComparedRequest => ({
    title: `POST ${shorten(typeof body === 'string' ? body : JSON.stringify(body))}`,
    method: 'POST',
    path: '/api/vouchers.php',
    headers,
    body: Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body),
  })
  const keyed = (headers: Record<string, string>, what: string): ComparedRequest => ({
    ...list(`site_id=${siteIds.lobby}`, headers),
    title: `GET with ${what}`,
  })

  const { write, read, inactive, limited } = keys
  const main = siteIds.main
  return [
    // Sites.
    { title: 'GET /sites.php', method: 'GET', path: '/api/sites.php', headers: withKey('read') },
    { title: 'GET /sites.php, write key', method: 'GET', path: '/api/sites.php', headers: withKey('write') },
    { title: 'GET /sites.php?id=1', method: 'GET', path: '/api/sites.php?id=1', headers: withKey('read') },

    // Keys.
    keyed({}, 'no key'),
    keyed({ authorization: '' }, 'an empty Authorization'),
    keyed({ authorization: 'Bearer' }, 'Bearer without a key'),
    keyed({ authorization: `bearer ${read}` }, 'bearer in small letters'),
    keyed({ authorization: `BEARER ${read}` }, 'BEARER in capital letters'),
    keyed({ authorization: `Bearer  ${read}` }, 'two spaces behind Bearer'),
    keyed({ authorization: `Bearer\t${read}` }, 'a tab behind Bearer'),
    keyed({ authorization: `Bearer ${read} more` }, 'a word behind the key'),
    keyed({ authorization: `Bearer ${read},` }, 'a comma behind the key'),
    keyed({ authorization: `Bearer "${read}"` }, 'quotes around the key'),
    keyed({ authorization: `Bearer: ${read}` }, 'Bearer and a colon'),
    keyed({ authorization: `Bearer${read}` }, 'no space behind Bearer'),
    keyed({ authorization: `Basic Bearer ${read}` }, 'Basic before Bearer'),
    keyed({ authorization: `Token ${read}` }, 'another scheme'),
    keyed({ authorization: read }, 'no scheme'),
    keyed({ authorization: `Basic ${Buffer.from(`x:${read}`).toString('base64')}` }, 'Basic'),
    keyed({ authorization: `Basic x`, 'x-api-key': read }, 'Basic and X-API-Key'),
    keyed({ authorization: 'Bearer', 'x-api-key': read }, 'Bearer without a key and X-API-Key'),
    keyed({ authorization: 'Bearer wrong', 'x-api-key': read }, 'a wrong Bearer and X-API-Key'),
    keyed({ authorization: `Bearer ${read}`, 'x-api-key': 'wrong' }, 'Bearer and a wrong X-API-Key'),
    keyed({ 'x-api-key': read }, 'X-API-Key'),
    keyed({ 'x-api-key': `  ${read}  ` }, 'spaces around X-API-Key'),
    keyed({ 'x-api-key': `Bearer ${read}` }, 'Bearer in X-API-Key'),
    keyed({ 'x-api-key': '' }, 'an empty X-API-Key'),
    keyed({ x_api_key: read }, 'X_API_KEY with underscores'),
    keyed({ 'api-key': read }, 'Api-Key'),
    keyed({ cookie: `api_key=${read}` }, 'the key in a cookie'),
    keyed(withKey('inactive'), 'an inactive key'),
    keyed({ authorization: `Bearer ${read.slice(0, -1)}` }, 'a key without its last character'),
    keyed({ authorization: `Bearer ${read}0` }, 'a key and one more character'),
    keyed({ authorization: `Bearer ${read.slice(0, -1)}${read.endsWith('0') ? '1' : '0'}` }, 'a wrong secret'),
    keyed({ authorization: `Bearer ${read.toUpperCase()}` }, 'the key in capital letters'),
    keyed({ authorization: `Bearer ${read.replace('uvt_', 'uvt-')}` }, 'a wrong beginning'),
    keyed({ authorization: `Bearer uvt_${'0'.repeat(40)}` }, 'an unknown key'),
    keyed({ authorization: `Bearer uvt_${'ä'.repeat(20)}` }, 'letters that are not ASCII'),
    keyed({ authorization: `Bearer uvt_${'0'.repeat(4_000)}` }, 'a key of 4,000 characters'),
    keyed({ authorization: `Bearer ${"uvt_' or 1=1 -- ".padEnd(44, 'x')}` }, 'SQL as the key'),
    { ...list(`site_id=${main}&api_key=${read}`, {}), title: 'GET with the key in the query' },
    create({ site_id: main, name: 'Gast' }, {}),
    create({ site_id: main, name: 'Gast' }, withKey('read')),
    create({ site_id: main, name: 'Gast' }, { authorization: `Bearer ${inactive}` }),
    create({}, withKey('read')),
    create('not JSON', withKey('read')),
    create({ site_id: main, name: 'Gast', api_key: write }, {}),

    // The limit: three requests a minute.
    ...Array.from({ length: 5 }, (_, i) => ({
      ...list(`site_id=${siteIds.lobby}`, { authorization: `Bearer ${limited}` }),
      title: `request ${i + 1} of a key with three a minute`,
    })),
    { ...create({ site_id: main, name: 'x' }, { 'x-api-key': limited }), title: 'POST over the limit' },
    { title: 'PUT over the limit', method: 'PUT', path: '/api/vouchers.php', headers: { 'x-api-key': limited } },

    // Methods and paths.
    ...['vouchers', 'sites', 'openapi'].flatMap((name) =>
      ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND', 'FOO'].flatMap((method) => [
        { title: `${method} /${name}.php`, method, path: `/api/${name}.php?site_id=1`, headers: withKey('write') },
        { title: `${method} /${name}.php without a key`, method, path: `/api/${name}.php`, headers: {} },
      ]),
    ),
    { title: 'POST /sites.php', method: 'POST', path: '/api/sites.php', headers: withKey('write'), body: '{}' },
    { title: 'DELETE /vouchers.php, read key', method: 'DELETE', path: '/api/vouchers.php', headers: withKey('read') },
    { title: 'POST /openapi.php', method: 'POST', path: '/api/openapi.php', headers: {}, body: '{}' },
    { title: 'GET /openapi.php', method: 'GET', path: '/api/openapi.php', headers: {} },
    ...[
      '/api/',
      '/api/nothing.php',
      '/api/vouchers',
      '/api/vouchers.php5',
      '/api/vouchers.php/',
      '/api/vouchers.php/1',
      '/api/Vouchers.php',
      '/api//sites.php',
      '/api/./sites.php',
      '/api/x/../sites.php',
      '/api/s%69tes.php',
      '/api/sites.php%00',
      '/api/sites.php;x=1',
      '/api/sites.php%20',
      '/api/bootstrap.php',
      '/nothing',
    ].map((path) => ({ title: `GET ${path}`, method: 'GET', path, headers: withKey('read') })),

    // The number of the site in a list.
    ...split(`1  2  3  4711  0  -1  -0  01  010  +1  %2B1  %201  1%20  %091  %0A1  %0B1  %0C1  %0D1  %001  1%00  %C2%A01
      %31  1.0  1.9  .9  1.  1e0  1E1  0x1  0b1  0o1  1_0  1,5  12abc  abc  true  null  1%2B1  2147483647  2147483648
      9223372036854775807  9223372036854775808  99999999999999999999  1e30  1e1000  -1e1000  NAN  INF  %D9%A1  %zz  %
      %FF1  1%FF  1;2  1'  1--  []  {}`).map((text) => list(`site_id=${text}`)),
    ...split(`site_id  siteid=1  SITE_ID=1  site_id=1&site_id=2  site_id=2&site_id=  site_id[]=1  site_id%5B%5D=1
      site_id[a]=1  site_id[=1  site.id=1  site+id=1  site%5Fid=1  +site_id=1  site_id+=1  &&site_id=1  site_id=1&limit=1
      site_id=1&page=2  site_id=1&status=used  x=1;site_id=1  ?site_id=1  site_id==1  site_id=1=2  a[b=1&site_id=1
      site_id=1%26x  site_id%00=1`).map((query) => list(query)),
    ...['', 'site_id=', `x=${'y'.repeat(1_000)}&site_id=1`, `${'a=1&'.repeat(1_100)}site_id=1`].map((query) =>
      list(query),
    ),
    { ...list('site_id='), body: JSON.stringify({ site_id: main }), title: 'GET with the site in the body' },
    { ...list(`site_id=${siteIds.archive}`), isOrdered: true, title: 'GET of a site with 250 vouchers' },

    // Creations: the site.
    ...split(String.raw`1  "1"  " 1"  "1 "  "+1"  1.9  "1.9"  "01"  "1e0"  1e0  "1abc"  "\t1"  "\n1"  "\u000b1"  "\u00001"
      "\u00a01"  0  -1  "0"  "-1"  "abc"  ""  null  true  false  []  [5]  {}  {"id":1}  4711  2147483647  2147483648
      "2147483648"  1e20  "1e20"  "1e1000"  3  "0x1"  0.9  "0.9"  "\u0661"  -0.5`).map((site) =>
      create(`{"site_id":${site},"name":"Site"}`),
    ),
    create({ name: 'Gast' }),
    create({ site_id: siteIds.unreachable, name: 'Gast' }),
    create({ site_id: siteIds.wrongPassword, name: 'Gast' }),
    create({ site_id: siteIds.archive, name: '' }),

    // Creations: the name.
    ...split(String.raw`""  " "  "\t\n\r "  "\u0000"  "\u000b"  "\u00a0"  "\u3000"  "\u200b"  "\ufeff"  " Zimmer 12 "
      "\u00a0Zimmer\u00a0"  "\fZimmer"  "Zim\tmer"  "Zim\nmer"  "Zim\u0000mer"  "Zim\u001bmer"  "Zim\u202emer"
      "Zim\u007fmer"  "Zim\u0085mer"  "0"  "é"  "e\u0301"  "<script>alert(1)</script>"  "O'Neil"  "\""  "\\"  "%s"  "名前"
      "a,b;c"  "{\"x\":1}"  "\ud800"  12  0  -1  -0  1.5  1.0  1e2  1e25  1e400  12345678901234567890  0.1  true  false  null
      []  ["a"]  {}  {"a":1}`).map((name) => create(`{"site_id":${siteIds.lobby},"name":${name}}`)),
    ...['ä'.repeat(244), 'ä'.repeat(245), 'x'.repeat(244), '😀'.repeat(244)].map((name) =>
      create({ site_id: siteIds.lobby, name }),
    ),
    create({ site_id: siteIds.lobby }),

    // Creations: uses and minutes.
    ...['max_uses', 'expire_minutes'].flatMap((field) =>
      split(`0  1  2  10000  -1  "3"  " 3"  "3x"  "abc"  ""  2.9  "2.9"  "1e2"  null  true  false  []  [7]  {}  {"a":1}  1e20
        "1e20"  "1e1000"  10001  1000001  2147483647  2147483648`).map((value) =>
        create(`{"site_id":1,"name":"Gast","${field}":${value}}`),
      ),
    ),

    // Creations: limits.
    ...split(`null  true  5  "abc"  []  [1,2]  ["down"]  {}  {"down":0}  {"down":5000}  {"up":1000}  {"quota_mb":100}
      {"down":5000,"up":1000,"quota_mb":100}  {"down":-1}  {"up":-1,"quota_mb":-1}  {"down":"5000"}  {"down":1.9}
      {"down":"abc"}  {"down":true}  {"down":[5]}  {"down":null}  {"down":1}  {"down":100000}  {"down":100001}
      {"quota_mb":1048576}  {"quota_mb":1048577}  {"down":2147483648}  {"more":1}`).map((qos) =>
      create(`{"site_id":1,"name":"Gast","qos":${qos}}`),
    ),

    // Creations: bodies.
    create(''),
    create('not JSON'),
    create('null'),
    create('1'),
    create('"text"'),
    create('[]'),
    create('[{"site_id":1,"name":"Gast"}]'),
    create('{"site_id":1,"name":"Gast"'),
    create('{"site_id":1,"name":"Gast",}'),
    create("{'site_id':1,'name':'Gast'}"),
    create('{"site_id":1,"name":"Gast"} more'),
    create(' \n{"site_id":1,"name":"Gast"}\n '),
    create('\ufeff{"site_id":1,"name":"Gast"}'),
    create('{"site_id":2,"site_id":1,"name":"a","name":"Gast"}'),
    create('{"Site_ID":1,"Name":"Gast"}'),
    create('{"site_id":1,"name":"Gast","__proto__":{"max_uses":5}}'),
    create('{"site_id":1,"name":"\\ud83d"}'),
    create('{"site_id":1,"name":"a\\u0000b"}'),
    create('{"site_id":1,"name":"Gast","":1}'),
    create(`{"site_id":1,"name":"Gast","x":${'['.repeat(500)}${']'.repeat(500)}}`),
    create(`{"site_id":1,"name":"Gast","x":${'['.repeat(600)}${']'.repeat(600)}}`),
    create({ site_id: main, name: 'Gast', x: 'y'.repeat(60_000) }),
    create({ site_id: main, name: 'Gast', x: 'y'.repeat(70_000) }),
    { ...create(Buffer.from('{"site_id":1,"name":"\xff"}', 'latin1')), title: 'POST not UTF-8' },
    { ...create(Buffer.from('{"site_id":1,"name":"Gast"}', 'utf16le')), title: 'POST UTF-16' },
    ...[
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'multipart/form-data; boundary=x',
      'x',
    ].map((type) => ({
      ...create({ site_id: main, name: 'Typ' }, { ...withKey('write'), 'content-type': type }),
      title: `POST as ${type}`,
    })),
    {
      ...create('site_id=1&name=Gast', { ...withKey('write'), 'content-type': 'application/x-www-form-urlencoded' }),
      title: 'POST a form',
    },
    { ...create({ name: 'Gast' }), path: '/api/vouchers.php?site_id=1', title: 'POST with the site in the query' },
    { ...create({ site_id: main, name: 'Gast' }), path: '/api/vouchers.php?x=1', title: 'POST with a parameter' },
    {
      ...create({ site_id: main, name: 'Gast' }, { ...withKey('write'), 'x-http-method-override': 'GET' }),
      title: 'POST with X-HTTP-Method-Override',
    },
    {
      ...create({ site_id: main, name: 'Gast' }, { ...withKey('write'), 'idempotency-key': 'a' }),
      title: 'POST with an Idempotency-Key',
    },

    // The record afterwards.
    list(`site_id=${siteIds.lobby}`),
    list(`site_id=${siteIds.inactive}`),
  ]
}

/** Two spaces or a new line separate the values. */
function split(values: string): string[] {
  return values.trim().split(/ {2,}|\s*\n\s*/)
}

function shorten(text: string): string {
  const printable = text.replace(
    /[^\x20-\x7e]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return printable.length <= 80 ? printable : `${printable.slice(0, 60)}… (${printable.length})`
}
