/** Who reads a project, which branch makes its trend and where its commits come from; and what this browser alone is set to. */
import { useState } from "react";
import type { ProjectChange, ProjectSummary, SessionInfo, Visibility } from "@/api/types";
import { changeProject } from "@/api/writes";
import { FieldGroup, Form, NotAllowed, RepositoryField, TextField, Tick } from "@/components/form";
import { Segmented } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { Facts } from "@/components/ui/text";
import { refusal } from "@/lib/access";
import { useChange } from "@/lib/hooks";
import { chooseTheme, THEMES, useTheme } from "@/lib/theme";
import { readersText } from "./data";

const BRANCH_NOTE =
  "Charts and the search for changes follow the runs of this branch. Empty: all runs without a pull request.";
const CHECK_NOTE = "It never fails for a fork, nor once somebody has accepted what is slower.";

function checkText(fails: boolean): string {
  return fails ? "fails when something is slower" : "tells what is slower, and passes";
}

type Props = { summary: ProjectSummary; session: SessionInfo };

export function General({ summary, session }: Props) {
  const { project, visibility, default_branch, repository_url, fails_on_regression } = summary;
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
                { name: "visibility", value: `${visibility}: ${readers}` },
                { name: "default branch", value: default_branch ?? "none: all runs make the trend" },
                { name: "repository", value: repository_url ?? "none: agents measure nothing on request" },
                { name: "check of pull requests", value: checkText(fails_on_regression) },
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
  // What was typed and not saved yet, over what is stored.
  const [typed, setTyped] = useState<ProjectChange>({});
  const saving = useChange(
    (change: ProjectChange) => changeProject(project, change),
    ["/api/v1/projects", "/api/v1/projects/{project}"],
    () => setTyped({}),
  );
  const { visibility, default_branch, repository_url, fails_on_regression } = { ...summary, ...typed };
  const type = (change: ProjectChange) => {
    saving.reset();
    setTyped({ ...typed, ...change });
  };
  return (
    <Form
      submit="Save"
      change={saving}
      isReady={Object.keys(typed).length > 0}
      outcome={saving.isSuccess && <span role="status">Saved.</span>}
      onSubmit={() => saving.mutate(typed)}
    >
      <FieldGroup legend="Visibility">
        {(["public", "private"] satisfies Visibility[]).map((value) => (
          <Tick
            key={value}
            type="radio"
            name="visibility"
            label={value}
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
      <FieldGroup legend="Check of pull requests" note={CHECK_NOTE}>
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

const THEME_NAMES = { system: "as the system", light: "light", dark: "dark" };

function ThisBrowser() {
  const theme = useTheme();
  return (
    <Section title="This browser">
      <div className="form">
        <div className="field field-wide">
          Colours
          <Segmented
            label="Colours of this browser"
            options={THEMES.map((value) => ({ value, label: THEME_NAMES[value] }))}
            value={theme}
            onChange={chooseTheme}
          />
        </div>
        <p className="muted">Kept in this browser alone, for all projects. Nobody else sees it.</p>
      </div>
    </Section>
  );
}
