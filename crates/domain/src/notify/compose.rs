//! Turns pending notifications of a channel into a message, without those that are outdated.

use super::Pages;
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_storage::change_point::ChangeCause;
use roundtrip_storage::notification::payload::{
    CommitItem, LISTED_MAX, Message, RegressionItem, Topic, VERSION,
};
use roundtrip_storage::notification::{Event, channel, message, outbox};
use roundtrip_storage::regression::{self, CommitPlace, Regression, State};
use sqlx::PgPool;
use uuid::Uuid;

/// A channel gets at most this many messages
const MESSAGES_MAX: i64 = 10;
/// in this time, then one message for everything since.
const COUNTED_FOR: TimeDelta = TimeDelta::hours(1);

/// Composes one message for a channel with pending notifications. False if there is none.
pub(super) async fn compose(pool: &PgPool, pages: &Pages, now: DateTime<Utc>) -> sqlx::Result<bool> {
    let mut transaction = pool.begin().await?;
    let pace = outbox::Pace { messages_max: MESSAGES_MAX, since: now - COUNTED_FOR };
    let Some(waiting) = outbox::waiting(&mut transaction, pace, now).await? else { return Ok(false) };
    let channel = channel::find(&mut transaction, waiting.notification_channel_id).await?;
    let Some(channel) = channel else { return Ok(false) };
    let rows = regression::find_all(&mut transaction, &waiting.regression_ids).await?;
    let over = if waiting.event == Event::Fixed {
        let (channel_id, ids) = (channel.notification_channel_id, &waiting.regression_ids);
        outbox::fixed_before_sending(&mut transaction, channel_id, ids).await?
    } else {
        Vec::new()
    };
    let (mut current, mut dropped) = (Vec::new(), Vec::new());
    for row in rows {
        if is_current(&row, waiting.event, now) && !over.contains(&row.regression_id) {
            current.push(row);
        } else {
            dropped.push(row.regression_id);
        }
    }
    outbox::drop_notifications(&mut transaction, &waiting, &dropped, now).await?;
    if !current.is_empty() || !waiting.machines.is_empty() {
        let ids: Vec<i64> = current.iter().map(|row| row.regression_id).collect();
        let in_reply_to = if waiting.event == Event::Fixed {
            outbox::messages_about(&mut transaction, channel.notification_channel_id, &ids).await?
        } else {
            Vec::new()
        };
        let project = &channel.project;
        let url = match waiting.event {
            Event::Machine => pages.machines(project),
            Event::Regressed | Event::Fixed | Event::Improved => pages.regressions(project),
        };
        let items = current.into_iter().take(LISTED_MAX);
        let message = Message {
            url,
            count: ids.len() + waiting.machines.len(),
            regressions: items.map(|row| regression_item(pages, project, row)).collect(),
            machines: waiting.machines.into_iter().take(LISTED_MAX).collect(),
            ..blank(pages, project, waiting.event.into(), now)
        };
        message::create(
            &mut transaction,
            channel.notification_channel_id,
            waiting.event,
            &message,
            &in_reply_to,
            &waiting.notification_ids,
        )
        .await?;
    }
    transaction.commit().await?;
    Ok(true)
}

/// Whether a regression is still in the event's state, not muted and not held.
fn is_current(row: &Regression, event: Event, now: DateTime<Utc>) -> bool {
    let is_in_state = match (row.state, event) {
        (State::Fixed, event) => event == Event::Fixed,
        (State::New | State::Acknowledged, event) => event != Event::Fixed,
        (State::Invalid | State::Machine, _) => false,
    };
    let is_muted = row.muted_until.is_some_and(|until| until > now);
    is_in_state
        && !is_muted
        && row.held_because.is_none()
        && row.cause == ChangeCause::Commit
        && row.series_count > 0
}

fn regression_item(pages: &Pages, project: &str, row: Regression) -> RegressionItem {
    RegressionItem {
        url: pages.regression(project, row.regression_id),
        regression_id: row.regression_id,
        series_count: row.series_count,
        kind: row.kind,
        worst_change: row.worst_change,
        commit_count: (row.until_commit.ordinal - row.after_commit.ordinal).max(1),
        after_commit: commit_item(row.after_commit),
        until_commit: commit_item(row.until_commit),
        fixed_by_commit: row.fixed_by_commit.map(commit_item),
        finding: row
            .explanation
            .and_then(|explanation| explanation.contents.0.findings.into_iter().next())
            .map(|finding| finding.text),
        machines: row.machines,
    }
}

fn commit_item(CommitPlace { sha, subject, author, .. }: CommitPlace) -> CommitItem {
    CommitItem { sha, subject, author }
}

/// A message without content, for a test.
pub(super) fn blank(pages: &Pages, project: &str, event: Topic, now: DateTime<Utc>) -> Message {
    Message {
        version: VERSION,
        message_id: Uuid::now_v7(),
        event,
        created_at: now,
        project: project.to_owned(),
        url: pages.regressions(project),
        settings_url: pages.settings(project),
        count: 0,
        regressions: Vec::new(),
        machines: Vec::new(),
    }
}
