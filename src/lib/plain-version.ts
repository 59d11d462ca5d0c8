/** The digits of a version such as `10.3.55`; null for anything else, because it comes from outside. */
export function plainVersion(text: string): string | null {
  return /^\d{1,5}(\.\d{1,5}){1,3}/.exec(text)?.[0] ?? null
}
