import { Suspense, useEffect, useRef, useState } from 'react'
import { onSignInAgain } from '../api.ts'
import { lazyPart } from '../new-version.tsx'

const SignInAgainDialog = lazyPart(
  async () => (await import('./second-factor/sign-in-again-dialog.tsx')).SignInAgainDialog,
)

/**
 * Asks the person to sign in again when the service wants that before a change. Several requests at the same time share one dialog.
 */
export function SignInAgain() {
  const asked = useRef<PromiseWithResolvers<boolean>>(null)
  const [isOpen, setIsOpen] = useState(false)
  const answer = (isConfirmed: boolean) => {
    setIsOpen(false)
    asked.current?.resolve(isConfirmed)
    asked.current = null
  }
  useEffect(
    () =>
      onSignInAgain(() => {
        setIsOpen(true)
        asked.current ??= Promise.withResolvers()
        return asked.current.promise
      }),
    [],
  )
  if (!isOpen) return null
  return (
    <Suspense>
      <SignInAgainDialog onConfirmed={() => answer(true)} onCancel={() => answer(false)} />
    </Suspense>
  )
}
