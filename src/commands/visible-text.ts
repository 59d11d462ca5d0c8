/** Text of a stranger for a terminal: what would move the cursor or turn the line around is shown as a mark. */
export function visibleText(text: string, maxLength = 200): string {
  const shown = text.replace(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
  return shown.length > maxLength ? `${shown.slice(0, maxLength)}…` : shown
}
