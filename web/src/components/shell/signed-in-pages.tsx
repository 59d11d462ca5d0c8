import { Outlet } from '@tanstack/react-router'
import { addTexts } from '../../i18n/i18n.ts'
import { SessionGate } from '../session-gate.tsx'
import { AppShell } from './app-shell.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

addTexts({ de, en })

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
