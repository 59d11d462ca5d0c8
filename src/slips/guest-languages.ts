/** The languages of guests, which the API lists in this order. In a browser, their texts are loaded with the first slip. */
// biome-ignore format: a list of short words
export const guestLanguages = [
  'de', 'en', 'fr', 'it', 'nl', 'es', 'pl', 'cs', 'pt', 'da', 'sv', 'nb', 'fi', 'hu', 'ro', 'hr', 'tr', 'el', 'uk', 'ru',
] as const
export type GuestLanguage = (typeof guestLanguages)[number]
