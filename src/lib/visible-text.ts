/**
 * Text from elsewhere, made safe for a terminal: characters that move the cursor or reverse the line are replaced by a
 * visible mark.
 */
export function visibleText(text: string, maxLength = 200): string {
  const visible = text.replace(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
  return visible.length > maxLength ? `${visible.slice(0, maxLength)}…` : visible
}
