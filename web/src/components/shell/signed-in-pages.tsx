import { Outlet } from '@tanstack/react-router'
import { SessionGate } from '../session-gate.tsx'
import { AppShell } from './app-shell.tsx'

/** The frame of the pages for people who are signed in. The page is inside it. */
export function SignedInPages() {
  return (
    <SessionGate>
      <AppShell>
        <Outlet />
      </AppShell>
    </SessionGate>
  )
}
