import type { TFunction } from 'i18next'
import { errorTexts, isCancelled } from './state-pages.tsx'

/** Shows a failure for a moment, if no part of the page is the right place for it. */
export function showFailure(t: TFunction, error: unknown): void {
  if (isCancelled(error)) return
  const { title, text } = errorTexts(t, error)
  // `Notices` has loaded it already. With a static import, it would be in the first load of every page.
  void import('@mantine/notifications')
    .then(({ notifications }) => notifications.show({ color: 'red', title, message: text }))
    .catch(() => {})
}
