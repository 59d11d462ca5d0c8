import { Anchor, Button, TagsInput, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconAlertCircle, IconAlertTriangle, IconCheck, IconInfoCircle, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SignInGroups, SignInGroupsResult, SignInGroupsTry } from '../../../../../client/voucher-api.generated.ts'
import { useErrorTexts } from '../../../components/state-pages.tsx'
import { orValue } from '../../../newer-values.ts'
import { groupsDryRunQuery } from '../../../queries/sign-in-settings.ts'
import { useSitesNamer } from '../use-sites-words.ts'
import classes from './sign-in.module.css'

type Props = {
  /** The table as it stands on the page. */
  groups: SignInGroups
  isDirty: boolean
  provider: string
}

/**
 * Says who one person would become, and who would change, if the table were saved. Every change of the table tries it again; rows that
 * are not complete yet do not count.
 */
export function DryRun({ groups, isDirty, provider }: Props) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const [email, setEmail] = useState('')
  const [personGroups, setPersonGroups] = useState<string[]>([])
  const complete = groups.groups.filter(({ group, site_ids: ids }) => group !== '' && ids?.length !== 0)
  const [wanted] = useDebouncedValue<SignInGroupsTry>(
    {
      claim: groups.claim || 'groups',
      groups: complete,
      ...(email !== '' && { email, ...(personGroups.length > 0 && { person_groups: personGroups }) }),
    },
    300,
  )
  const { data, error } = useQuery({ ...groupsDryRunQuery(wanted), enabled: isDirty || wanted.email !== undefined })
  const result = isDirty || email !== '' ? data : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setEmail(typed.trim())
    setPersonGroups([])
  }
  const isUnseen = email !== '' && result?.person?.known === false
  return (
    <form noValidate className={classes.try} onSubmit={submit}>
      <label htmlFor="try-with" className={classes.label}>
        {t('sign-in-settings.try-with')}
      </label>
      <TextInput
        id="try-with"
        type="email"
        autoComplete="off"
        placeholder={t('sign-in-settings.try-example')}
        maxLength={254}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Button type="submit" variant="default">
        {t('sign-in-settings.try')}
      </Button>
      <div className={classes.results} role="status">
        {error && <Failure error={error} />}
        {!error && result && email !== '' && (
          <PersonLine result={result} hasGroups={personGroups.length > 0} provider={provider} />
        )}
      </div>
      {(isUnseen || personGroups.length > 0) && (
        <TagsInput
          className={classes.results ?? ''}
          label={t('sign-in-settings.their-groups')}
          data={complete.map(({ group }) => group)}
          value={personGroups}
          onChange={setPersonGroups}
        />
      )}
      <div className={classes.results} role="status">
        {!error && result && isDirty && <Effects result={result} />}
      </div>
    </form>
  )
}

function Failure({ error }: { error: unknown }) {
  const { text } = useErrorTexts(error)
  return <Line tone="bad">{text}</Line>
}

type PersonProps = { result: SignInGroupsResult; hasGroups: boolean; provider: string }

function PersonLine({ result: { person }, hasGroups, provider }: PersonProps) {
  const { t } = useTranslation()
  const nameSites = useSitesNamer()
  if (!person) return null
  const { name, role, matched } = person
  if (!person.known && !hasGroups) return <Line tone="plain">{t('sign-in-settings.unseen', { name, provider })}</Line>
  if (role === null) return <Line tone="none">{t('sign-in-settings.no-group', { name })}</Line>
  return (
    <Line tone="ok">
      {t('sign-in-settings.would-become', { name })} <b>{t(`roles.${role}`, orValue(role))}</b>
      {', '}
      {nameSites(person)}{' '}
      <Text component="span" fz="inherit" c="dimmed">
        ({matched.join(', ')})
      </Text>
    </Line>
  )
}

/** How many people would change. One of them is named at once, more after a click. */
function Effects({ result }: { result: SignInGroupsResult }) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const { changes, people, last_administrator_lost: isLost } = result
  const count = changes.length
  const [only] = changes
  return (
    <>
      {count === 0 && <Line tone="plain">{t('sign-in-settings.nobody-changes')}</Line>}
      {count === 1 && only && (
        <Line tone="warn">
          {t('sign-in-settings.changes', { count, people })} <ChangeWords change={only} />
        </Line>
      )}
      {count > 1 && (
        <Line tone="warn">
          {t('sign-in-settings.changes', { count, people })}{' '}
          <Anchor
            component="button"
            type="button"
            fz="inherit"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            {t(isOpen ? 'sign-in-settings.hide-people' : 'sign-in-settings.show-people')}
          </Anchor>
          {isOpen && (
            <ul className={classes.people}>
              {changes.map((change) => (
                <li key={change.id}>
                  <ChangeWords change={change} />
                </li>
              ))}
            </ul>
          )}
        </Line>
      )}
      {isLost && <Line tone="bad">{t('sign-in-settings.last-administrator')}</Line>}
    </>
  )
}

type Change = SignInGroupsResult['changes'][number]

/** "Jonas Pohl, Manager → Desk". The sites are named where the role stays the same. */
function ChangeWords({ change: { name, before, after } }: { change: Change }) {
  const { t } = useTranslation()
  const nameSites = useSitesNamer()
  const wordsOf = (rights: typeof before) =>
    after && after.role === before.role ? nameSites(rights) : t(`roles.${rights.role}`, orValue(rights.role))
  return `${name}, ${wordsOf(before)} → ${after ? wordsOf(after) : t('sign-in-settings.no-sign-in')}`
}

const icons = { ok: IconCheck, none: IconX, warn: IconAlertTriangle, bad: IconAlertCircle, plain: IconInfoCircle }

function Line({ tone, children }: { tone: keyof typeof icons; children: ReactNode }) {
  const Icon = icons[tone]
  return (
    <div className={classes.line} data-tone={tone}>
      <Icon size={18} stroke={1.7} aria-hidden />
      <div>{children}</div>
    </div>
  )
}
