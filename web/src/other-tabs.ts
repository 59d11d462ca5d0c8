/**
 * `changed`: the session ended or began, so the others have to ask the service. `signed-out`: the person left. `problem`: why a new
 * sign-in failed in a window that one of the others opened.
 */
type News = 'changed' | 'signed-out' | { problem: string }

let channel: BroadcastChannel | undefined

/** One for the whole tab: a channel does not get its own messages, but would get those of a second channel in this tab. */
function openChannel(): BroadcastChannel {
  channel ??= new BroadcastChannel('vs.session')
  return channel
}

export function tellOtherTabs(news: News): void {
  openChannel().postMessage(news)
}

export function onOtherTab(listener: (news: News) => void): () => void {
  const onMessage = ({ data }: MessageEvent<News>) => listener(data)
  const opened = openChannel()
  opened.addEventListener('message', onMessage)
  return () => opened.removeEventListener('message', onMessage)
}
