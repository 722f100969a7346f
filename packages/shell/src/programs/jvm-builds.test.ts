import { describe, expect, it } from "vitest";
import { summary, widened } from "../../test/line-summary.ts";

describe("builds of the JVM", () => {
  it.each([
    ["./gradlew test", "project"],
    ["gradle --version", "project"],
    ["gradle build -x test --info", "project"],
    ["gradle test --tests 'a.B'", "project"],
    ["gradle -p /elsewhere test", "project deviation"],
    ["gradle -I evil.gradle test", "execute project deviation"],
    ["gradle --init-script=evil.gradle test", "execute project deviation"],
    ["gradle --init evil.gradle test", "project unknown"],
    ["gradle -Dorg.gradle.jvmargs=-javaagent:evil.jar test", "execute project deviation"],
    ["gradle -Pname=value test", "project deviation"],
    ["gradle -g /elsewhere test", "project deviation"],
    ["mvn -q test", "project"],
    ["mvn --version", "project"],
    ["mvn clean verify -DskipTests", "project"],
    ["mvn test -Dtest=Main#run -pl core -am", "project"],
    ["mvn -T4 test", "project"],
    ["mvn -f /elsewhere/pom.xml test", "project deviation"],
    ["mvn -s evil.xml test", "project deviation"],
    ["mvn -Dexec.executable=evil test", "execute project deviation"],
    ["mvn -D exec.executable=evil test", "execute project deviation"],
    ["mvn --define=maven.ext.class.path=evil.jar test", "execute project deviation"],
    ["mvn exec:exec", "execute project deviation"],
    ["mvn -l /elsewhere/log test", "project write"],
    ["ant test", "project"],
    ["ant -f /elsewhere/build.xml", "project deviation"],
    ["ant -lib evil.jar", "execute project deviation"],
    ["ant -Dx=y", "project unknown"],
    ["sbt test", "execute network project unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names every task in the action", () => {
    expect(widened("./gradlew clean test --info")).toBe("./gradlew clean test");
    expect(widened("mvn verify -DskipTests")).toBe("mvn verify");
    expect(widened("mvn exec:java")).toBeNull();
  });
});
