/** Who reads a project, which branch makes its trend and where its commits come from; and what this browser alone is set to. */
import { type FormEvent, useState } from "react";
import type { ProjectChange, ProjectSummary, SessionInfo, Visibility } from "@/api/types";
import { changeProject } from "@/api/writes";
import { Field, FormError, NotAllowed, RepositoryField } from "@/components/form";
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
  const { project } = summary;
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
                {
                  name: "visibility",
                  value: `${summary.visibility}: ${readersText(summary.visibility, session.is_private)}`,
                },
                { name: "default branch", value: summary.default_branch ?? "none: all runs make the trend" },
                {
                  name: "repository",
                  value: summary.repository_url ?? "none: agents measure nothing on request",
                },
                { name: "check of pull requests", value: checkText(summary.fails_on_regression) },
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
  );
  const { visibility, default_branch, repository_url, fails_on_regression } = { ...summary, ...typed };
  const type = (change: ProjectChange) => {
    saving.reset();
    setTyped({ ...typed, ...change });
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate(typed, { onSuccess: () => setTyped({}) });
  };
  return (
    <form className="form" onSubmit={save}>
      <fieldset className="field field-wide">
        <legend>Visibility</legend>
        <div className="field-body">
          {(["public", "private"] satisfies Visibility[]).map((value) => (
            <label key={value} className="choice">
              <input
                type="radio"
                name="visibility"
                checked={visibility === value}
                onChange={() => type({ visibility: value })}
              />
              <span>
                {value} <span className="muted">{readersText(value, isPrivateServer)}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <Field label="Default branch" name="default_branch" error={saving.error} note={BRANCH_NOTE}>
        {(input) => (
          <input
            {...input}
            value={default_branch ?? ""}
            placeholder="none"
            spellCheck={false}
            onChange={({ target }) => type({ default_branch: target.value === "" ? null : target.value })}
          />
        )}
      </Field>
      <RepositoryField
        error={saving.error}
        value={repository_url ?? ""}
        onChange={(url) => type({ repository_url: url === "" ? null : url })}
      />
      <fieldset className="field field-wide">
        <legend>Check of pull requests</legend>
        <div className="field-body">
          {[false, true].map((value) => (
            <label key={String(value)} className="choice">
              <input
                type="radio"
                name="fails_on_regression"
                checked={fails_on_regression === value}
                onChange={() => type({ fails_on_regression: value })}
              />
              <span>{checkText(value)}</span>
            </label>
          ))}
          <p>{CHECK_NOTE}</p>
        </div>
      </fieldset>
      <FormError error={saving.error} fields={["default_branch", "repository_url"]} />
      <div className="controls">
        <button
          type="submit"
          className="button"
          disabled={saving.isPending || Object.keys(typed).length === 0}
        >
          Save
        </button>
        {saving.isSuccess && <span role="status">Saved.</span>}
      </div>
    </form>
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
