import { type Answer, type Call, call } from './http-client.ts'

/** A browser without scripts: it keeps cookies by host and port, and follows redirects when it is told to. */
export type CookieJar = {
  cookies: Map<string, Map<string, string>>
  get(url: string, options?: Call): Promise<Answer>
  /** Follows redirects until an address matches, and returns it without opening it; or returns the last answer. */
  follow(url: string, until: (url: string) => boolean, options?: Call): Promise<{ url: string; answer?: Answer }>
}

export function createCookieJar(): CookieJar {
  const cookies: CookieJar['cookies'] = new Map()
  const ofHost = (url: string) => {
    const { host } = new URL(url)
    if (!cookies.has(host)) cookies.set(host, new Map())
    return cookies.get(host) as Map<string, string>
  }
  const get = async (url: string, options: Call = {}) => {
    const kept = ofHost(url)
    const cookie = [...kept].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await call(url, { ...options, headers: { ...(cookie && { cookie }), ...options.headers } })
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [pair = '', ...attributes] = line.split('; ')
      const [name = '', ...value] = pair.split('=')
      const isEnded =
        value.join('=') === '' ||
        attributes.some((attribute) => /^(max-age=0|expires=Thu, 01 Jan 1970)/i.test(attribute))
      if (isEnded) kept.delete(name)
      else kept.set(name, value.join('='))
    }
    return answer
  }
  return {
    cookies,
    get,
    async follow(first, until, options) {
      let url = first
      for (let hops = 0; hops < 20; hops++) {
        if (until(url)) return { url }
        const answer = await get(url, hops === 0 ? options : {})
        if (answer.headers.location === undefined) return { url, answer }
        url = new URL(answer.headers.location, url).href
      }
      throw new Error(`too many redirects from ${first}`)
    },
  }
}
