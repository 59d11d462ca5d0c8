import type { MantineColorScheme, MantineColorSchemeManager } from '@mantine/core'

/** Keeps a choice on this computer in a cookie, so that the service can answer with a page that matches it. */
export function rememberChoice(name: 'voucher-language' | 'voucher-theme', value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: pages without TLS have no Cookie Store API
  document.cookie = `${name}=${value}; Path=/; Max-Age=31536000; SameSite=Lax`
}

/** The service writes the theme into the page: the one of the person or, before the sign-in, of this computer. */
export const colorSchemeManager: MantineColorSchemeManager = {
  get: (fallback) => {
    const theme = typeof document === 'undefined' ? undefined : document.documentElement.dataset['theme']
    return (theme as MantineColorScheme | undefined) ?? fallback
  },
  set: (value) => {
    document.documentElement.dataset['theme'] = value
    rememberChoice('voucher-theme', value)
  },
  subscribe: () => {},
  unsubscribe: () => {},
  clear: () => rememberChoice('voucher-theme', 'auto'),
}
