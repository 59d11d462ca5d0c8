import { Checkbox, Group, Progress, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Site } from '../../../../client/voucher-api.generated.ts'
import { api, toApiError } from '../../api.ts'
import { GuestInfoForm } from '../../components/guest-info/guest-info-form.tsx'
import { type GuestInfoValues, saveGuestInfo, useGuestInfoForm } from '../../components/guest-info/guest-info-values.ts'
import { SlipPreview } from '../../components/guest-info/slip-preview.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import classes from './first-run-frame.module.css'
import { type SetupState, useSetupChanged } from './setup-state.ts'
import { Heading, NextButton, SideLink } from './step-parts.tsx'

/** The sites that have these values already. After a failure the next attempt saves only the others. */
type Saved = { values: GuestInfoValues; ids: number[] }

/** The form for the facts on the slip, with a live preview. With one site, its name can be changed too. */
export function SlipStep({ state, onDone }: { state: SetupState; onDone: () => void }) {
  const { t } = useTranslation()
  const { sites } = state
  const site = (sites.find(({ active }) => active) ?? sites[0]) as Site
  const stored = state.guestInfo as GuestInfo
  const form = useGuestInfoForm(stored)
  const [name, setName] = useState(site.name)
  const [isForAll, setIsForAll] = useState(true)
  const isNameMissing = sites.length === 1 && name.trim() === ''
  const [isTried, setIsTried] = useState(false)
  const changed = useSetupChanged()
  const [saved, setSaved] = useState<Saved>()
  // The step counts as done when this site has its values, so this site is saved last.
  const ordered = [...(isForAll ? sites.filter(({ id }) => id !== site.id) : []), site].map(({ id }) => id)
  const savedFor = (values: GuestInfoValues) => (saved && isSame(saved.values, values) ? saved.ids : [])
  const done = ordered.filter((id) => savedFor(form.values).includes(id)).length
  const save = useMutation({
    mutationFn: async (values: GuestInfoValues) => {
      if (sites.length === 1 && name.trim() !== site.name) await api.updateSite(site.id, { name: name.trim() })
      let ids = savedFor(values)
      for (const id of ordered.filter((one) => !ids.includes(one))) {
        await saveGuestInfo(id, values)
        ids = [...ids, id]
        setSaved({ values, ids })
      }
      await changed()
    },
    onSuccess: onDone,
    onError: (error) =>
      form.setErrors(Object.fromEntries(toApiError(error).errors.map(({ field, message }) => [field, message]))),
  })
  return (
    <>
      <Heading title={t('setup.slip')} text={t('setup.slip-text')} />
      <div className={classes.columns}>
        <form
          noValidate
          onSubmit={(event) => {
            setIsTried(true)
            if (isNameMissing) return event.preventDefault()
            form.onSubmit((values) => save.mutate(values))(event)
          }}
        >
          <Stack gap={20}>
            {sites.length === 1 && (
              <TextInput
                label={t('setup.site-name')}
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
                error={isTried && isNameMissing && t('setup.site-name-missing')}
              />
            )}
            <GuestInfoForm form={form} stored={stored} />
            {sites.length > 1 && (
              <Checkbox
                label={t('setup.for-all', { count: sites.length })}
                checked={isForAll}
                onChange={(event) => setIsForAll(event.currentTarget.checked)}
              />
            )}
            {save.error && Object.keys(form.errors).length === 0 && <ErrorMessage error={save.error} />}
            {ordered.length > 1 && (save.isPending || (save.error && done > 0)) && (
              <div>
                <Progress value={(100 * done) / ordered.length} aria-hidden />
                <Text fz={13} c="dimmed" mt={4} role="status">
                  {t(save.isPending ? 'setup.saving' : 'setup.saved-partly', { done, count: ordered.length })}
                </Text>
              </div>
            )}
            <Group gap="lg">
              <NextButton isLoading={save.isPending} />
              <SideLink onClick={onDone}>{t('setup.skip')}</SideLink>
            </Group>
          </Stack>
        </form>
        <div className={classes.beside}>
          <SlipPreview siteName={sites.length === 1 ? name : site.name} values={form.values} stored={stored} />
        </div>
      </div>
    </>
  )
}

function isSame(a: GuestInfoValues, b: GuestInfoValues): boolean {
  return a.logo === b.logo && JSON.stringify(a) === JSON.stringify(b)
}
