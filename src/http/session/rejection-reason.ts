/**
 * Why a sign-in by the provider was rejected, for the log and for administrators. The messages of the library say what was wrong, and
 * contain no token. The provider wrote `error_description`.
 */
export function rejectionReason(cause: unknown): string {
  const reasons: string[] = []
  for (let error = cause; error instanceof Error && reasons.length < 5; error = error.cause) {
    const { error: answered, error_description: described } = error as { error?: unknown; error_description?: unknown }
    reasons.push(error.message, ...[answered, described].filter((text) => typeof text === 'string'))
  }
  return reasons.join(': ').replaceAll(/\p{C}/gu, ' ').slice(0, 500)
}
