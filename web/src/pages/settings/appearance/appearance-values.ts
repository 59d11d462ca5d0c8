/** The appearance as the form has it. An empty text means none. */
export type AppearanceValues = {
  name: string
  accent_color: string
  /** A new file, or null to remove the logo. Undefined keeps what is stored. */
  logo: File | null | undefined
}

/** The accent of a house that chose none. */
export const standardAccent = '#4350c6'

export function isColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text)
}
