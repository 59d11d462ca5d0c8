import { Anchor, Button, Stack, Title } from '@mantine/core'
import { type MouseEvent, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Person } from '../../../client/voucher-api.generated.ts'
import { useSession } from '../session.tsx'
import { SignInForm } from './sign-in-form.tsx'
import classes from './sign-in-methods.module.css'

type Props = {
  /** The person whose session has ended, if there was one. */
  person?: Person
  onSignedIn: (person: Person) => unknown
  /** The service rejects the sign-in because the connection is not encrypted. */
  onUnencrypted?: () => void
  /** Where the provider sends the person. Without it, the provider opens in a window of its own, and this page stays as it is. */
  next?: string
  /** Stands below the password. */
  children?: ReactNode
}

/**
 * The form with the password and the button of the provider, which comes first for somebody who has signed in with it. Without
 * passwords, a link opens the form for the break-glass account.
 */
export function SignInMethods({ next, person, children, ...form }: Props) {
  const { t } = useTranslation()
  const { provider, password_sign_in: hasPasswords, step } = useSession()
  const [isEmergency, setIsEmergency] = useState(step === 'second_factor') // after a reload too
  const usesProvider = Boolean(person?.identity?.last_sign_in_at)
  const button = provider && <ProviderButton name={provider.name} isMain={usesProvider || !hasPasswords} next={next} />
  if (!hasPasswords && !isEmergency)
    return (
      <Stack gap={18}>
        {button}
        <Anchor component="button" fz={13.5} ta="left" onClick={() => setIsEmergency(true)}>
          {t('sign-in.emergency')}
        </Anchor>
      </Stack>
    )
  if (!hasPasswords)
    return (
      <>
        <Title order={2} mb="sm">
          {t('sign-in.emergency-title')}
        </Title>
        <SignInForm {...form} email={person?.email}>
          <Anchor component="button" type="button" fz={13.5} ta="left" onClick={() => setIsEmergency(false)}>
            {t('actions.back')}
          </Anchor>
        </SignInForm>
      </>
    )
  const or = provider && <div className={classes.or}>{t('sign-in.or')}</div>
  const above = provider && usesProvider && (
    <>
      {button}
      {or}
    </>
  )
  return (
    <SignInForm {...form} email={person?.email} above={above}>
      {!above && or}
      {!above && button}
      {children}
    </SignInForm>
  )
}

/** The page that ends a sign-in in a window of its own. */
export const closingPath = '/sign-in?closes=true'

/** The address that leads to the provider and then back to `next`. */
export function providerStart(purpose: 'sign-in' | 'again' | 'link' | 'test', next: string): string {
  return `/sso/start?purpose=${purpose}&next=${encodeURIComponent(next)}`
}

/** It is a link, so that it works before any script runs. */
function ProviderButton({ name, isMain, next }: { name: string; isMain: boolean; next: string | undefined }) {
  const { t } = useTranslation()
  const href = providerStart('sign-in', next ?? closingPath)
  const openWindow = (event: MouseEvent) => {
    if (window.open(href, '_blank', 'width=520,height=700')) event.preventDefault()
  }
  return (
    <Button
      component="a"
      href={href}
      variant={isMain ? 'filled' : 'default'}
      classNames={{ root: classes.provider, label: classes.label }}
      size="md"
      fz="md"
      fullWidth
      data-autofocus={isMain || undefined}
      {...(next === undefined && { target: '_blank', onClick: openWindow })}
    >
      {t('sign-in.with', { provider: name })}
    </Button>
  )
}
