/** Visibility, default branch, repository and check of a project; the theme of this browser. */
import { useState } from "react";
import type { ProjectChange, ProjectSummary, SessionInfo, Visibility } from "@/api/types";
import { changeProject } from "@/api/writes";
import { FieldGroup, Form, NotAllowed, RepositoryField, TextField, Tick } from "@/components/form";
import { optionsOf, Segmented } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { Facts } from "@/components/ui/text";
import { refusal } from "@/lib/access";
import { useChange } from "@/lib/hooks";
import { chooseTheme, THEMES, useTheme } from "@/lib/theme";
import { upperFirst } from "@/lib/units";
import { LEAST_DEFAULT, leastChangeOf, percentOf, readersText } from "./data";

const BRANCH_NOTE = "Trends use its runs. Empty: all runs outside pull requests.";
const COMMIT_NOTE = "With {sha}. Empty: detected for GitHub, GitLab and Forgejo.";
const LEAST_LABEL = "Smallest change worth an alert";
const LEAST_NOTE = `In percent. Empty: ${LEAST_DEFAULT}.`;
const CHECK_NOTE = "Never fails for forks or acknowledged slowdowns.";

function checkText(fails: boolean): string {
  return fails ? "Fails on a slowdown" : "Reports slowdowns, always passes";
}

type Props = { summary: ProjectSummary; session: SessionInfo };

export function General({ summary, session }: Props) {
  const {
    project,
    visibility,
    default_branch,
    repository_url,
    commit_url,
    fails_on_regression,
    least_change,
  } = summary;
  const readers = readersText(visibility, session.is_private);
  return (
    <>
      <Section title="Project">
        {refusal(session, project, "configure") === null ? (
          <ProjectForm summary={summary} isPrivateServer={session.is_private} />
        ) : (
          <>
            <Facts
              wide
              facts={[
                { name: "Visibility", value: `${visibility}: ${readers}` },
                { name: "Default branch", value: default_branch ?? "none: trends use all runs" },
                { name: "Repository", value: repository_url ?? "none: jobs need one" },
                commit_url !== null && { name: "Commit link", value: commit_url },
                {
                  name: LEAST_LABEL,
                  value: least_change === null ? `default: ${LEAST_DEFAULT}` : `${percentOf(least_change)} %`,
                },
                { name: "Pull-request check", value: checkText(fails_on_regression) },
              ]}
            />
            <NotAllowed session={session} project={project} action="configure" what="change this" />
          </>
        )}
      </Section>
      <ThisBrowser />
    </>
  );
}

type FormProps = { summary: ProjectSummary; isPrivateServer: boolean };

function ProjectForm({ summary, isPrivateServer }: FormProps) {
  const { project } = summary;
  // Unsaved edits override the stored values.
  const [typed, setTyped] = useState<ProjectChange>({});
  const [percent, setPercent] = useState<string>();
  const saving = useChange(
    async () => {
      const least = percent === undefined ? {} : { least_change: leastChangeOf(percent) };
      return changeProject(project, { ...typed, ...least });
    },
    ["/api/v1/projects", "/api/v1/projects/{project}"],
    () => {
      setTyped({});
      setPercent(undefined);
    },
  );
  const { visibility, default_branch, repository_url, commit_url, fails_on_regression } = {
    ...summary,
    ...typed,
  };
  const type = (change: ProjectChange) => {
    saving.reset();
    setTyped({ ...typed, ...change });
  };
  return (
    <Form
      submit="Save"
      change={saving}
      isReady={Object.keys(typed).length > 0 || percent !== undefined}
      outcome={saving.isSuccess && <span role="status">Saved.</span>}
      onSubmit={() => saving.mutate()}
    >
      <FieldGroup legend="Visibility">
        {(["public", "private"] satisfies Visibility[]).map((value) => (
          <Tick
            key={value}
            type="radio"
            name="visibility"
            label={upperFirst(value)}
            note={readersText(value, isPrivateServer)}
            checked={visibility === value}
            onChange={() => type({ visibility: value })}
          />
        ))}
      </FieldGroup>
      <TextField
        label="Default branch"
        name="default_branch"
        note={BRANCH_NOTE}
        value={default_branch ?? ""}
        placeholder="none"
        onChange={({ target }) => type({ default_branch: target.value || null })}
      />
      <RepositoryField
        value={repository_url ?? ""}
        onChange={({ target }) => type({ repository_url: target.value || null })}
      />
      <TextField
        label="Commit link"
        name="commit_url"
        note={COMMIT_NOTE}
        value={commit_url ?? ""}
        placeholder="detected"
        onChange={({ target }) => type({ commit_url: target.value || null })}
      />
      <TextField
        label={LEAST_LABEL}
        name="least_change"
        note={LEAST_NOTE}
        value={percent ?? percentOf(summary.least_change)}
        placeholder="default"
        inputMode="decimal"
        onChange={({ target }) => {
          saving.reset();
          setPercent(target.value);
        }}
      />
      <FieldGroup legend="Pull-request check" note={CHECK_NOTE}>
        {[false, true].map((value) => (
          <Tick
            key={String(value)}
            type="radio"
            name="fails_on_regression"
            label={checkText(value)}
            checked={fails_on_regression === value}
            onChange={() => type({ fails_on_regression: value })}
          />
        ))}
      </FieldGroup>
    </Form>
  );
}

const THEME_NAMES = { system: "System", light: "Light", dark: "Dark" };

function ThisBrowser() {
  const theme = useTheme();
  return (
    <Section title="This browser">
      <div className="form">
        <div className="field field-wide">
          Theme
          <Segmented
            label="Theme"
            options={optionsOf(THEMES, (value) => THEME_NAMES[value])}
            value={theme}
            onChange={chooseTheme}
          />
        </div>
      </div>
    </Section>
  );
}
