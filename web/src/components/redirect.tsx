import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/** Goes to another path of the app once. The router's `Navigate` would do it again with every render. */
export function Redirect({ to }: { to: string }) {
  const { history } = useRouter()
  useEffect(() => history.replace(to), [history, to])
  return null
}
