/** The first parts of paths in the web pages of UniFi. They are in the address bar, but not part of the controller's address. */
const pagesOfUnifi = ['network', 'manage', 'login', 'dashboard', 'settings', 'setup', 'protect', 'users', 'console']

/** The web pages of the cloud. They show a controller, but do not have its API. */
const cloudHosts = ['unifi.ui.com', 'account.ui.com', 'network.unifi.ui.com']

/**
 * The address of a controller, from the text that people type or copy from the address bar: without blanks, with
 * https:// if it has no scheme, and without the page that was open. A path that is not a page of UniFi stays, because a
 * proxy may need it.
 */
export function tidyAddress(text: string): string {
  const typed = text.trim().replace(/^(https?)(:\/*|\/\/+)/i, '$1://')
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) || typed === '' ? typed : `https://${typed}`
  if (!URL.canParse(address)) return text.trim()
  const url = new URL(address)
  if (!['https:', 'http:'].includes(url.protocol) || url.username || url.password) return text.trim()
  const [firstPart = ''] = url.pathname.slice(1).split('/')
  const path = pagesOfUnifi.includes(firstPart) ? '' : url.pathname.replace(/\/+$/, '')
  return `${url.origin}${path}`
}

/** Why the address cannot be tested; null if it can. The service has the same rules, except the one about the cloud. */
export function addressProblem(text: string) {
  const address = tidyAddress(text)
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !['https:', 'http:'].includes(url.protocol)) return 'controller-form.address-wrong'
  if (cloudHosts.includes(url.hostname)) return 'controller-form.address-cloud'
  return url.username || url.password ? 'controller-form.address-extras' : null
}

/** Whether the network can be tested with these values. */
export function isAddress(text: string): boolean {
  return addressProblem(text) === null
}
