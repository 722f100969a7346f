import { describe, expect, it } from "vitest";
import { summary, widened } from "../../test/summary.ts";

describe("ruby", () => {
  it.each([
    ["ruby --version", "free"],
    ["ruby -c src/a.rb", "free"],
    ["ruby -wc src/a.rb", "free"],
    ["ruby -c", "free"],
    ["ruby -r ./evil -c src/a.rb", "execute detour"],
    ["ruby src/a.rb x", "project"],
    ["ruby -Ilib src/a.rb", "project detour"],
    ["ruby -e 'code'", "execute detour"],
    ["ruby -ne 'code' README.md", "execute detour"],
    ["ruby -0777ne 'code' README.md", "execute project detour"],
    ["ruby -We 'code'", "execute project detour"],
    ["ruby -W0 src/a.rb", "project"],
    ["ruby -i -pe 'code' src/a.ts", "execute write detour"],
    ["ruby -S evil", "execute project"],
    ["ruby", "execute unknown"],
    ["irb", "execute project unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });
});

describe("tools of Ruby", () => {
  it.each([
    ["bundle --version", "project"],
    ["bundle exec rspec", "project + project"],
    ["bundle exec --gemfile=/elsewhere/Gemfile rspec", "project detour + project"],
    ["bundle exec evil", "project + unknown"],
    ["bundle install --jobs 4", "network project write"],
    ["bundle list", "project"],
    ["bundle config set path x", "execute project write unknown"],
    ["gem --version", "free"],
    ["gem list", "free"],
    ["gem list --remote", "unknown"],
    ["gem list -r", "unknown"],
    ["gem environment", "environment"],
    ["gem install evil", "execute network system write unknown"],
    ["rake test", "project"],
    ["rake -f /elsewhere/Rakefile", "project detour"],
    ["rake -r ./evil test", "execute project detour"],
    ["rake -e 'code'", "execute project detour"],
    ["rake test TEST=x", "project detour"],
    ["rails test", "project"],
    ["rails db:migrate", "project"],
    ["rails server -p 3000", "network project"],
    ["rails runner 'code'", "execute project write unknown"],
    ["rails console", "execute project write unknown"],
    ["rspec spec/a_spec.rb:3 --format documentation", "project"],
    ["rspec -fd", "project"],
    ["rspec -r ./evil", "execute project detour"],
    ["rspec -f Evil", "execute project detour"],
    ["rspec -O /elsewhere", "project detour"],
    ["rspec -o out.txt", "project write"],
    ["rubocop", "project"],
    ["rubocop -a", "project write"],
    ["rubocop -A src", "project write"],
    ["rubocop -c other.yml", "project detour"],
    ["rubocop -r ./evil", "execute project detour"],
    ["rubocop --format Evil", "execute project detour"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("offers the form", () => {
    expect(widened("rake db:seed test")).toBe("rake db:seed test");
    expect(widened("rspec spec -fd")).toBe("rspec");
    expect(widened("bundle exec rspec")).toBe("bundle exec rspec");
    expect(widened("ruby -c src/a.rb")).toBe("ruby -c");
  });
});
